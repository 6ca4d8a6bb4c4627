//! Uniform legal actions.

use crate::action::Action;
use crate::maze::Maze;
use crate::seat::{BySeat, Seat};
use crate::state::State;

impl State {
    /// Returns a uniform legal action for each living player (bias below 1/7281), and `Stay` for the dead. The low 16 of the
    /// 64 random bits are for seat 0, and so on.
    ///
    /// ```
    /// use pacman2_rules::{Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let actions = state.random_actions(&maze, 0x0123_4567_89ab_cdef);
    /// assert!(state.is_legal(&maze, Seat::S0, actions[Seat::S0]));
    /// ```
    #[must_use]
    #[inline]
    pub fn random_actions(&self, maze: &Maze, random: u64) -> BySeat<Action> {
        let random = RandomBits(random);
        BySeat::from_fn(|seat| match self.legal_actions(maze, seat) {
            [] => Action::Stay,
            actions => actions[random.below(actions.len(), seat)],
        })
    }
}

/// Random bits for one draw per seat, 16 each, the low ones for seat 0.
///
/// A draw is the integer part of a 16-bit fraction times the number of choices. Each choice has its share of the 2¹⁶
/// fractions, rounded up or down; with nine choices, the maximum, shares differ by one in 7281.
#[derive(Clone, Copy)]
struct RandomBits(u64);

impl RandomBits {
    /// Draws a number below `count`.
    #[inline(always)]
    fn below(self, count: usize, seat: Seat) -> usize {
        let fraction = (self.0 >> (16 * seat.index())) as u16;
        (usize::from(fraction) * count) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_for_every_seat() {
        for (count, seat) in (1..=9).flat_map(|count| Seat::ALL.map(|seat| (count, seat))) {
            let mut drawn = [0_u32; 9];
            for fraction in 0..1 << 16 {
                drawn[RandomBits(fraction << (16 * seat.index())).below(count, seat)] += 1;
            }
            let (choices, others) = drawn.split_at(count);
            let share = (1 << 16) / count as u32;
            assert!(choices.iter().all(|&times| times == share || times == share + 1), "{drawn:?}");
            assert!(others.iter().all(|&times| times == 0), "{drawn:?}");
        }
    }

    #[test]
    fn each_seat_draws_from_its_own_bits() {
        for seat in Seat::ALL {
            let random = RandomBits(0xffff << (16 * seat.index()));
            assert_eq!(Seat::ALL.map(|other| random.below(9, other)), Seat::ALL.map(|other| if other == seat { 8 } else { 0 }));
        }
    }
}
