//! Training, compared with a plain implementation.

use pacman2_bots::net::{HIDDEN_1, HIDDEN_2, INPUTS, Net, NetInputs, WEIGHTS};
use pacman2_training::{Fit, Gradient, Sample, loss};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Returns a number from -1 to 1.
fn number(rng: &mut Xoshiro256PlusPlus) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
}

fn weights(rng: &mut Xoshiro256PlusPlus) -> [f32; WEIGHTS] {
    std::array::from_fn(|_| 0.4 * number(rng))
}

/// Returns made-up inputs.
fn inputs(rng: &mut Xoshiro256PlusPlus) -> NetInputs {
    let seats = std::array::from_fn(|_| std::array::from_fn(|_| number(rng)));
    NetInputs { seats, points: std::array::from_fn(|_| 40.0 + 30.0 * number(rng)) }
}

fn samples(rng: &mut Xoshiro256PlusPlus, count: usize, target: impl Fn(&NetInputs) -> [f32; 4]) -> Vec<Sample> {
    let sample = |_| {
        let inputs = inputs(rng);
        Sample::new(inputs, target(&inputs), target(&inputs), 0.7).expect("there are points to share")
    };
    (0..count).map(sample).collect()
}

/// Computes the loss by its definition, in double precision.
fn plain_loss(weights: &[f64], sample: &Sample) -> f64 {
    let (first, rest) = weights.split_at((INPUTS + 1) * HIDDEN_1);
    let (second, last) = rest.split_at((HIDDEN_1 + 1) * HIDDEN_2);
    let layer = |weights: &[f64], inputs: &[f64], out: usize| -> Vec<f64> {
        let of = |to: usize| inputs.iter().chain(&[1.0]).enumerate().map(|(from, input)| weights[from * out + to] * input).sum();
        (0..out).map(of).collect()
    };
    let active = |neurons: Vec<f64>| neurons.into_iter().map(|neuron| neuron.max(0.0)).collect::<Vec<f64>>();
    let outputs = sample.inputs.seats.map(|seat| {
        let first = active(layer(first, &seat.map(f64::from), HIDDEN_1));
        layer(last, &active(layer(second, &first, HIDDEN_2)), 1)[0]
    });
    let most = outputs.into_iter().fold(f64::MIN, f64::max);
    let weighed: Vec<f64> =
        (0..4).map(|seat| f64::from(sample.inputs.points[seat]) * (1.0 + (outputs[seat] - most) / 256.0).powi(256)).collect();
    let total: f64 = weighed.iter().sum();
    let of_seat = |(&target, weighed): (&f32, &f64)| f64::from(target) * (f64::from(target) * total / weighed).ln();
    sample.target.iter().zip(&weighed).filter(|(target, _)| **target > 0.0).map(of_seat).sum()
}

#[test]
fn gradients_equal_finite_differences() {
    const STEP: f64 = 1e-5;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let weights = weights(&mut rng);
    let samples = samples(&mut rng, 3, |inputs| [inputs.points[3], 9.0, 1.0, 50.0]);
    let gradient = Gradient::over(&Net::from_weights(&weights), samples.iter());
    let plain = weights.map(f64::from);
    let total = |weights: &[f64]| samples.iter().map(|sample| plain_loss(weights, sample)).sum::<f64>();
    assert!((gradient.loss - total(&plain)).abs() < 1e-5, "{} {}", gradient.loss, total(&plain));
    let mut steep = 0;
    for (place, slope) in gradient.slopes.weights().into_iter().enumerate() {
        let moved = |by: f64| {
            let mut moved = plain;
            moved[place] += by;
            total(&moved)
        };
        let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        let slope = f64::from(slope);
        assert!((slope - difference).abs() < 1e-4 * (1.0 + difference.abs()), "weight {place}: {slope}, {difference}");
        steep += usize::from(difference.abs() > 1e-2);
    }
    assert!(steep > 100, "the test has hardly any gradients: {steep}");
}

#[test]
fn training_and_playing_compute_the_same_net() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let net = Net::from_weights(&weights(&mut rng));
    let samples = samples(&mut rng, 50, |_| [1.0, 2.0, 3.0, 4.0]);
    let learning = Gradient::over(&net, samples.iter()).loss / 50.0;
    assert!((learning - loss(&net, &samples)).abs() < 1e-7, "{learning} {}", loss(&net, &samples));
    assert_eq!(Net::from_weights(&net.weights()), net);
}

#[test]
fn a_made_up_evaluation_is_learned() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let teacher = Net::from_weights(&weights(&mut rng));
    let judge = |inputs: &NetInputs| teacher.points(inputs);
    let (known, held_out) = (samples(&mut rng, 4000, judge), samples(&mut rng, 500, judge));
    let fit = Fit { samples: &known, held_out: &held_out, epochs: 20, seed: 1 };
    let start = Fit::first_net(1);
    let learned = fit.learn(&start, |_| true).expect("not interrupted");
    let (before, after) = (loss(&start, &held_out), loss(&learned.net, &held_out));
    assert!(after < 0.4 * before, "{before} {after}");
    assert_eq!(learned.best.held_out, after);
    assert_eq!(fit.learn(&start, |_| true), Some(learned.clone()), "not reproducible");
    let other = Fit { seed: 2, ..fit }.learn(&start, |_| true).expect("not interrupted");
    assert_ne!(other.net, learned.net);
}

#[test]
fn the_best_net_is_kept_instead_of_the_last() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let known = samples(&mut rng, 300, |_| [1.0, 1.0, 1.0, 90.0]);
    let held_out = samples(&mut rng, 300, |inputs| inputs.points);
    let start = Fit::first_net(1);
    let fit = Fit { samples: &known, held_out: &held_out, epochs: 3, seed: 1 };
    let learned = fit.learn(&start, |_| true).expect("not interrupted");
    assert_eq!((learned.best.number, learned.net), (0, start.clone()));
    let mut epochs = 0;
    let interrupted = fit.learn(&start, |epoch| {
        epochs = epoch.number;
        epoch.number < 2
    });
    assert_eq!((interrupted, epochs), (None, 2));
}

#[test]
fn the_first_net_equals_the_hand_made_evaluation() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let net = Fit::first_net(7);
    for _ in 0..100 {
        let inputs = inputs(&mut rng);
        for (points, by_hand) in net.points(&inputs).into_iter().zip(inputs.points) {
            assert!((points - by_hand).abs() < 1e-3, "{points} {by_hand}");
        }
    }
    assert_ne!(net, Fit::first_net(8));
}

#[test]
fn a_seat_without_hand_made_points_is_left_out() {
    let seats = [[0.5; INPUTS]; 4];
    let without = NetInputs { seats, points: [0.0, 10.0, 10.0, 20.0] };
    let sample = Sample::new(without, [5.0, 1.0, 2.0, 2.0], [5.0, 1.0, 2.0, 2.0], 0.7).expect("there are points to share");
    for (share, expected) in sample.target.into_iter().zip([0.0, 0.2, 0.4, 0.4]) {
        assert!((share - expected).abs() < 1e-6, "{:?}", sample.target);
    }
    let gradient = Gradient::over(&Net::from_weights(&[0.1; WEIGHTS]), std::iter::once(&sample));
    assert!(gradient.loss.is_finite() && gradient.slopes.weights().into_iter().all(f32::is_finite));
    assert_eq!(Sample::new(without, [0.0; 4], [1.0; 4], 0.7), None);
    assert_eq!(Sample::new(without, [1.0; 4], [0.0; 4], 0.7), None);
    assert_eq!(Sample::new(without, [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], 0.7), None);
}

#[test]
fn targets_weigh_search_and_outcome() {
    let inputs = NetInputs { seats: [[0.0; INPUTS]; 4], points: [25.0; 4] };
    let sample = Sample::new(inputs, [100.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 7.0], 0.7).expect("there are points to share");
    for (share, expected) in sample.target.into_iter().zip([0.7, 0.0, 0.0, 0.3]) {
        assert!((share - expected).abs() < 1e-6, "{:?}", sample.target);
    }
}
