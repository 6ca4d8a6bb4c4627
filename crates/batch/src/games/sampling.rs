//! Orders drawn with given chances, as a policy has them: masked, from logits.

use super::{Block, Games};
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};
use crate::observe::ACTIONS;

/// Logits of all four, or their weights.
type Four = [f32; 4 * ACTIONS];

impl Games {
    /// Draws an order for everybody, as places in [`pacman2_rules::Order::ALL`]: each that the [mask](Games::action_masks) has, with a
    /// chance that grows with the exponential of its logit. `logits` are nine for each seat, game by game and seat by seat;
    /// `log_probabilities`, four for each game, become the natural logarithms of the chances of what was drawn.
    ///
    /// A logit that is NaN counts as -∞, and what has -∞ is not drawn. If that is so of all that the mask has, all of that is
    /// as likely; and where logits are +∞, each of these is. So nothing is ever drawn that the mask has not.
    ///
    /// A game's chance is its own: each time it takes four words of its generator, a word for each seat, whoever lives. What is
    /// drawn is the same with every instruction set.
    ///
    /// # Panics
    ///
    /// If there are not logits of just as many games, or not room for just as many.
    pub fn sample(&mut self, logits: &[f32], actions: &mut [[u8; 4]], log_probabilities: Option<&mut [f32]>) {
        self.check(actions.len(), "orders");
        let (given, wanted) = (logits.len(), 4 * ACTIONS * self.count);
        assert!(given == wanted, "{given} logits for {} games; {wanted} are wanted", self.count);
        if let Some(room) = log_probabilities.as_ref().map(|into| into.len()) {
            assert!(room == 4 * self.count, "room for {room} log-probabilities; {} are wanted", 4 * self.count);
        }
        arch::with(self.instruction_set, Sample { blocks: &mut self.blocks, logits, actions, log_probabilities });
    }
}

struct Sample<'a> {
    blocks: &'a mut [Block],
    logits: &'a [f32],
    actions: &'a mut [[u8; 4]],
    log_probabilities: Option<&'a mut [f32]>,
}

impl Work for Sample<'_> {
    type Done = ();

    #[inline(always)]
    fn with<L: Lanes>(mut self) {
        L::within(
            #[inline(always)]
            || {
                let (logits, _) = self.logits.as_chunks();
                for (game, (logits, actions)) in logits.iter().zip(self.actions).enumerate() {
                    let drawn = self.blocks[game / LANES].sample(game % LANES, logits);
                    *actions = drawn.map(|drawn| drawn.action as u8);
                    if let Some(into) = &mut self.log_probabilities {
                        into[4 * game..4 * game + 4].copy_from_slice(&drawn.map(|drawn| drawn.chance.ln()));
                    }
                }
            },
        );
    }
}

#[derive(Clone, Copy)]
struct Drawn {
    action: usize,
    /// How likely it was.
    chance: f32,
}

impl Block {
    #[inline(always)]
    fn sample(&mut self, lane: usize, logits: &Four) -> [Drawn; 4] {
        let masks = self.action_masks(lane);
        let weights = weights(logits, masks.as_flattened().as_chunks().0.first().expect("four masks"));
        let (weights, _) = weights.as_chunks();
        let mut generator = self.chance.generator(lane);
        let drawn = [0, 1, 2, 3].map(|seat| draw(&weights[seat], generator.word()));
        self.chance.put(lane, &generator);
        drawn
    }
}

/// How likely each order is, in relation to the others of its seat; at least one of each seat has some weight.
#[inline(always)]
fn weights(logits: &Four, masks: &[u8; 4 * ACTIONS]) -> Four {
    let mut known = *logits;
    for (logit, &mask) in known.iter_mut().zip(masks) {
        // So NaN is not above -∞ either.
        *logit = if mask != 0 && *logit > f32::NEG_INFINITY { *logit } else { f32::NEG_INFINITY };
    }
    let most: [f32; 4] = std::array::from_fn(|seat| {
        let of_seat = &known[ACTIONS * seat..ACTIONS * (seat + 1)];
        of_seat.iter().fold(f32::NEG_INFINITY, |most, &logit| if logit > most { logit } else { most })
    });
    let mut weights = [0.0; 4 * ACTIONS];
    for (place, weight) in weights.iter_mut().enumerate() {
        *weight = exponential(known[place] - most[place / ACTIONS]);
    }
    for seat in (0..4).filter(|&seat| most[seat].is_infinite()) {
        for place in ACTIONS * seat..ACTIONS * (seat + 1) {
            weights[place] = f32::from(u8::from(masks[place] != 0 && known[place] == most[seat]));
        }
    }
    weights
}

/// The exponential of a number that is not above 0, with an error of some 10⁻⁷ of it; 0 below -87, where floats end.
///
/// The standard library's is another one on each system, and what is drawn must not be. It is made as in Moshier's Cephes:
/// a power of two, and a polynomial for what is left.
#[inline(always)]
fn exponential(number: f32) -> f32 {
    let is_something = number > -87.0;
    let number = if is_something { number } else { 0.0 };
    // Numbers from 2²³ on are whole, so that this sum is rounded to one.
    const ROUNDING: f32 = 12_582_912.0;
    let twos = (number * std::f32::consts::LOG2_E + ROUNDING) - ROUNDING;
    // The logarithm of 2 in two parts, of which the first has so few digits that its product is exact.
    let rest = number - twos * 0.693_359_4 - twos * -2.121_944_4e-4;
    let polynomial = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let power = polynomial.iter().fold(1.987_569_2e-4, |sum, coefficient| sum * rest + coefficient);
    let power = power * rest * rest + rest + 1.0;
    let scale = f32::from_bits(((twos as i32 + 127) as u32) << 23);
    if is_something { power * scale } else { 0.0 }
}

/// The one that a word draws by these weights.
#[inline(always)]
fn draw(weights: &[f32; ACTIONS], word: u32) -> Drawn {
    let mut sum = 0.0;
    let sums = weights.map(|weight| {
        sum += weight;
        sum
    });
    // As many bits as a float has. Where the product is rounded up to the sum itself, it is the last that has some weight.
    let part = ((word >> 8) as f32 / (1 << 24) as f32 * sum).min(sum.next_down());
    let action = sums.iter().filter(|&&sum| sum <= part).count() % ACTIONS;
    Drawn { action, chance: weights[action] / sum }
}
