//! The choice among rated actions, and the random numbers for it.

use pacman2_rules::Action;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Returns a random number from 0 to 1.
#[inline]
pub(crate) fn unit(rng: &mut Xoshiro256PlusPlus) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1 << 24) as f32
}

/// Returns the action with the largest value, each plus up to `noise`. `Stay` if there is none.
pub(crate) fn best(valued: impl Iterator<Item = (Action, f32)>, noise: f32, rng: &mut Xoshiro256PlusPlus) -> Action {
    let noisy = valued.map(|(action, value)| (action, value + noise * unit(rng)));
    noisy.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(Action::Stay, |(action, _)| action)
}

/// Returns the place in [`Action::ALL`]; 0 if it is invalid. Two small matches compile without a jump, and one does not.
#[inline(always)]
pub(crate) fn action_number(action: Action) -> usize {
    let direction = match action {
        Action::Move(direction) | Action::Shoot(direction) => direction.index(),
        Action::Stay | Action::Invalid => 0,
    };
    let first = match action {
        Action::Move(_) => 1,
        Action::Shoot(_) => 5,
        Action::Stay | Action::Invalid => 0,
    };
    first + direction
}
