//! Training of the policy net.

use pacman2_bots::policy_net::{ALL_ROWS, HIDDEN, POLICY_WEIGHTS, PolicyNet, STYLES};
use pacman2_training::{PolicyDecision, PolicyFit, PolicyGames, PolicyGradient, PolicyPlayer};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn games(maps: std::ops::Range<i32>) -> Vec<PolicyPlayer> {
    let play = PolicyGames { net: PolicyNet::built_in(), simulations: 8, seed: 1 };
    maps.flat_map(|map| play.play(map).and_then(|game| game.players()).expect("Botzone makes a map of every seed")).collect()
}

fn weights() -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..POLICY_WEIGHTS).map(|_| 0.3 * ((rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0)).collect()
}

/// Computes the loss by its definition, in double precision.
fn plain_loss(weights: &[f64], decision: &PolicyDecision, styles: &[f32; STYLES]) -> f64 {
    let logit = |rows: &[u16]| -> f64 {
        let neuron = |neuron: usize| {
            let weight = |row: usize| weights[row * HIDDEN + neuron];
            let of_rows: f64 = rows.iter().map(|&row| weight(row.into())).sum();
            let of_styles: f64 =
                styles.iter().enumerate().map(|(style, &share)| f64::from(share) * weight(ALL_ROWS + style)).sum();
            (of_rows + of_styles).max(0.0) * weight(ALL_ROWS + STYLES)
        };
        (0..HIDDEN).map(neuron).sum()
    };
    let logits: Vec<f64> = decision.actions.iter().map(|action| logit(action.as_slice())).collect();
    let most = logits.iter().copied().fold(f64::MIN, f64::max);
    let weighed: Vec<f64> = logits.iter().map(|logit| (1.0 + (logit - most) / 256.0).powi(256)).collect();
    let total: f64 = weighed.iter().sum();
    weighed.iter().zip(decision.target).map(|(weighed, target)| -f64::from(target) * (weighed / total).ln()).sum()
}

#[test]
fn gradients_equal_finite_differences() {
    const STEP: f64 = 1e-5;
    let weights = weights();
    let players = games(3..4);
    let decision = &players.iter().find(|player| player.is_own).expect("sage plays").decisions[3];
    assert!(decision.target.iter().filter(|&&target| target > 0.0).count() > 1, "a search tries more than one action");
    let mut styles = [0.0; STYLES];
    (styles[0], styles[5]) = (0.75, 0.25);
    let net = PolicyNet::from_weights(&weights);
    let mixed = std::array::from_fn(|neuron| 0.75 * net.style(0)[neuron] + 0.25 * net.style(5)[neuron]);
    let mut gradient = PolicyGradient::new(&net);
    gradient.add(decision, &net.player(&mixed), &styles, 1.0);
    let plain: Vec<f64> = weights.iter().copied().map(f64::from).collect();
    assert!((gradient.loss - plain_loss(&plain, decision, &styles)).abs() < 1e-4);
    let mut steep = 0;
    for (place, slope) in gradient.slopes.iter().enumerate() {
        let moved = |by: f64| {
            let mut moved = plain.clone();
            moved[place] += by;
            plain_loss(&moved, decision, &styles)
        };
        let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        assert!(
            (f64::from(*slope) - difference).abs() < 1e-3 * (1.0 + difference.abs()),
            "weight {place}: {slope}, {difference}"
        );
        steep += usize::from(difference.abs() > 1e-2);
    }
    assert!(steep > 100, "the test has hardly any gradients: {steep}");
}

#[test]
fn players_are_learned_and_the_same_run_gives_the_same_net() {
    let players = games(10..18);
    let fit = PolicyFit { players: &players, epochs: 6, seed: 2 };
    let mut losses = Vec::new();
    let net = fit.learn(|_, loss| losses.push(loss));
    assert!(losses[5] < 0.8 * losses[0], "{losses:?}");
    assert_eq!(fit.learn(|_, _| ()), net);
    assert!((net.shares().iter().sum::<f32>() - 1.0).abs() < 1e-4);
    // Players that were not learned from are predicted better than by chance.
    let (mut loss, mut uniform) = (0.0, 0.0);
    for decision in games(30..33).iter().filter(|player| player.is_own).flat_map(|player| &player.decisions) {
        let likely = net.probabilities(&decision.actions, &net.player(net.style(pacman2_bots::policy_net::OWN_STYLE)));
        loss -= f64::from(likely[decision.taken].ln());
        uniform += (decision.actions.len() as f64).ln();
    }
    assert!(loss < 0.8 * uniform, "{loss} {uniform}");
}
