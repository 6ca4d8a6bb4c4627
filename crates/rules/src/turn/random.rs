//! Random play: legal orders, each as likely as any other.

use super::Turn;
use super::lanes::Aims;
use crate::arena::Arena;
use crate::order::Order;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;

impl State {
    /// Plays on to the end of the game, with orders drawn at random from each turn's `chance`, 64 random bits.
    ///
    /// It plays what [`orders_at_random`](State::orders_at_random) says, but never spells these orders out: they are legal
    /// by birth and need not be read. That is 30 to 45 % faster.
    #[inline]
    pub fn play_out(&mut self, arena: &Arena, mut chance: impl FnMut() -> u64) {
        if self.is_over(arena) {
            return;
        }
        // Before the first turn anybody may live without strength, after it nobody does. To look at everybody's strength
        // once and not every turn is 6 to 11 % faster.
        let mut doubtful = SeatSet::FULL;
        while self.play_at_random(arena, Chance::new(chance()), doubtful) {
            doubtful = SeatSet::EMPTY;
        }
    }

    #[inline(always)]
    fn play_at_random(&mut self, arena: &Arena, mut chance: Chance, doubtful: SeatSet) -> bool {
        let aims = BySeat::from_fn(|seat| {
            if !self.alive.contains(seat) {
                return Aims::NOTHING;
            }
            let choices = arena.choices(self.cells[seat], self.can_shoot(arena, seat));
            choices[chance.below(choices[15], seat) % 16]
        });
        let (untold, nobody) = (BySeat([Order::Stay; 4]), &mut ());
        let mut turn = Turn::new(self, arena, &untold, Aims::new(aims), nobody);
        turn.doubtful = doubtful;
        turn.play()
    }

    /// A legal order for each of the living, each as likely as any other to within one in 2²⁵, drawn from 64 random bits;
    /// `Stay` for the dead.
    pub fn orders_at_random(&self, arena: &Arena, chance: u64) -> BySeat<Order> {
        let mut chance = Chance::new(chance);
        BySeat::from_fn(|seat| match self.legal_orders(arena, seat) {
            [] => Order::Stay,
            orders => orders[chance.below(orders.len() as u8, seat)],
        })
    }
}

/// Random bits for one draw per seat.
///
/// A draw takes the whole part of a fraction of 32 bits times the number of choices, and leaves the rest as the next
/// fraction. Two seats share a fraction: each of their pairs of choices, 81 at most, comes up for its share of all 2³²
/// fractions, rounded up or down. One random number a turn instead of two is 3 % faster.
struct Chance {
    fractions: [u32; 2],
}

impl Chance {
    #[inline(always)]
    fn new(bits: u64) -> Chance {
        Chance { fractions: [(bits >> 32) as u32, bits as u32] }
    }

    /// A number below `count`.
    #[inline(always)]
    fn below(&mut self, count: u8, seat: Seat) -> usize {
        let fraction = &mut self.fractions[seat.index() % 2];
        let product = u64::from(*fraction) * u64::from(count);
        *fraction = product as u32;
        (product >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_choices_are_as_likely() {
        for (first, second) in (1..=9).flat_map(|first| (1..=9).map(move |second| (first, second))) {
            let mut drawn = [[0_u32; 9]; 9];
            for fraction in 0..1 << 16 {
                let mut chance = Chance::new(fraction << 48 | fraction << 16);
                let [a, b, c, d] = Seat::ALL.map(|seat| chance.below(if seat < Seat::S2 { first } else { second }, seat));
                assert_eq!((a, c), (b, d));
                drawn[a][c] += 1;
            }
            let pairs = u32::from(first) * u32::from(second);
            for times in drawn.iter().flatten().filter(|&&times| times > 0) {
                assert!(((1 << 16) / pairs).abs_diff(*times) <= 1, "{first} times {second} choices: {drawn:?}");
            }
            assert_eq!(drawn.iter().flatten().filter(|&&times| times > 0).count() as u32, pairs);
        }
    }
}
