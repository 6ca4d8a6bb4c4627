//! Random play: legal orders, each as likely as any other.

use super::Turn;
use super::lanes::Aims;
use crate::action::Action;
use crate::maze::Maze;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;

impl State {
    /// Plays on to the end of the game, with orders drawn at random from each turn's `chance`, 64 random bits.
    ///
    /// It plays what [`random_actions`](State::random_actions) says, but never spells these orders out: they are legal
    /// by birth and need not be read. That is 30 to 45 % faster.
    #[inline]
    pub fn play_out(&mut self, maze: &Maze, mut chance: impl FnMut() -> u64) {
        if self.is_over(maze) {
            return;
        }
        // Before the first turn anybody may live without strength, after it nobody does. To look at everybody's strength
        // once and not every turn is 6 to 11 % faster.
        let mut doubtful = SeatSet::FULL;
        while self.play_at_random(maze, Chance(chance()), doubtful) {
            doubtful = SeatSet::EMPTY;
        }
    }

    #[inline(always)]
    fn play_at_random(&mut self, maze: &Maze, chance: Chance, doubtful: SeatSet) -> bool {
        let aims = BySeat::from_fn(|seat| {
            if !self.alive.contains(seat) {
                return Aims::NOTHING;
            }
            let choices = maze.choices(self.cells[seat], self.can_shoot(maze, seat));
            choices[chance.below(choices[15], seat) % 16]
        });
        let (untold, nobody) = (BySeat([Action::Stay; 4]), &mut ());
        let mut turn = Turn::new(self, maze, &untold, Aims::new(aims), nobody);
        turn.doubtful = doubtful;
        turn.play()
    }

    /// A legal order for each of the living, each as likely as any other to within one in 7281, drawn from 64 random bits:
    /// the lowest 16 are for seat 0, and so on. `Stay` for the dead.
    pub fn random_actions(&self, maze: &Maze, chance: u64) -> BySeat<Action> {
        let chance = Chance(chance);
        BySeat::from_fn(|seat| match self.legal_actions(maze, seat) {
            [] => Action::Stay,
            actions => actions[chance.below(actions.len() as u8, seat)],
        })
    }
}

/// Random bits for one draw per seat: a quarter of them each, the lowest for seat 0.
///
/// A draw takes the whole part of a fraction of 16 bits times the number of choices. Of the 2¹⁶ fractions each choice has its
/// share, rounded up or down; with nine choices, the most there are, these shares are one in 7281 apart.
#[derive(Clone, Copy)]
struct Chance(u64);

impl Chance {
    /// A number below `count`.
    #[inline(always)]
    fn below(self, count: u8, seat: Seat) -> usize {
        let fraction = (self.0 >> (16 * seat.index())) as u16;
        (usize::from(fraction) * usize::from(count)) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_choices_are_as_likely_for_every_seat() {
        for (count, seat) in (1..=9).flat_map(|count| Seat::ALL.map(|seat| (count, seat))) {
            let mut drawn = [0_u32; 9];
            for fraction in 0..1 << 16 {
                drawn[Chance(fraction << (16 * seat.index())).below(count, seat)] += 1;
            }
            let (choices, others) = drawn.split_at(usize::from(count));
            let share = (1 << 16) / u32::from(count);
            assert!(choices.iter().all(|&times| times == share || times == share + 1), "{drawn:?}");
            assert!(others.iter().all(|&times| times == 0), "{drawn:?}");
        }
    }

    #[test]
    fn seats_draw_from_bits_of_their_own() {
        for seat in Seat::ALL {
            let chance = Chance(0xffff << (16 * seat.index()));
            assert_eq!(Seat::ALL.map(|other| chance.below(9, other)), Seat::ALL.map(|other| if other == seat { 8 } else { 0 }));
        }
    }
}
