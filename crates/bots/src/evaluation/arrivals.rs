//! When each seat can be at each cell, and how that shares the fruit there.

use pacman2_rules::Cell;

use crate::distance_tables::DistanceTables;

/// The longest time for which fruit has its own discount.
const MAX_DELAY: u8 = 31;
/// The value of a fruit by the steps to it, and 0 from [`NEVER`] on.
const DELAY_DISCOUNT: [f32; 64] = discounts(0.83);
/// Stands for the delay of fruit that no player reaches in time.
const NEVER: u8 = MAX_DELAY + 1;
/// A player's weight in sharing a fruit, by how many steps it arrives after the first player.
const LATE_SHARE: [f32; MAX_LATENESS as usize + 1] = [1.0, 0.4, 0.2, 0.1, 0.06, 0.03, 0.02, 0.01, 0.0];
/// The lateness in steps from which a player gets nothing.
const MAX_LATENESS: u8 = 8;

/// Returns the value of a fruit by the time until it is eaten.
#[inline]
pub(super) fn discount(delay: u32) -> f32 {
    DELAY_DISCOUNT[delay.min(u32::from(MAX_DELAY)) as usize]
}

const fn discounts(base: f32) -> [f32; 64] {
    let mut discounts = [0.0; 64];
    discounts[0] = 1.0;
    let mut delay = 1;
    while delay < NEVER as usize {
        discounts[delay] = discounts[delay - 1] * base;
        delay += 1;
    }
    discounts
}

/// When all seats arrive at each cell. It is computed for all cells at once, because that takes as many instructions as a few cells
/// one by one: the compiler makes vectors of these loops.
pub(crate) struct Arrivals {
    /// The steps until the first seat arrives, up to [`MAX_DELAY`]; [`NEVER`] if none arrives in time.
    delay: [u8; 128],
    /// How much later than the first seats 0 and 1 arrive, in four bits each, and seats 2 and 3.
    lateness: [[u8; 128]; 2],
    /// The seats that arrive first, as bits; none if no seat can reach the cell.
    firsts: [u8; 128],
}

impl Arrivals {
    /// Computes the arrivals of seats with these steps to each cell, at `not_before` at the earliest. Those within `turns_left` are in time.
    #[inline(always)]
    pub(super) fn new(steps: &[&[u8; 128]; 4], not_before: u32, turns_left: u32) -> Arrivals {
        const UNREACHABLE: u8 = DistanceTables::UNREACHABLE;
        let not_before = not_before.min(250) as u8;
        let latest = turns_left.min(u32::from(UNREACHABLE) - 1) as u8;
        let mut arrivals = Arrivals { delay: [0; 128], lateness: [[0; 128]; 2], firsts: [0; 128] };
        for cell in 0..128 {
            let [a, b, c, d] = steps.map(|steps| steps[cell].max(not_before));
            let first = a.min(b).min(c).min(d);
            arrivals.delay[cell] = if first > latest { NEVER } else { first.min(MAX_DELAY) };
            let [a, b, c, d] = [a, b, c, d].map(|arrival| (arrival - first).min(MAX_LATENESS));
            arrivals.lateness[0][cell] = a | b << 4;
            arrivals.lateness[1][cell] = c | d << 4;
            let bits = u8::from(a == 0) | u8::from(b == 0) << 1 | u8::from(c == 0) << 2 | u8::from(d == 0) << 3;
            arrivals.firsts[cell] = if first == UNREACHABLE { 0 } else { bits };
        }
        arrivals
    }

    /// Adds to each seat's income its expected share of a fruit.
    #[inline(always)]
    pub(super) fn share_fruit(&self, income: &mut [f32; 4], cell: Cell, worth: f32) {
        let [one, other] = [0, 1].map(|pair| PAIR_SHARES[usize::from(self.lateness[pair][cell.index()])]);
        let shares = [one.shares[0], one.shares[1], other.shares[0], other.shares[1]];
        let discount = DELAY_DISCOUNT[usize::from(self.delay[cell.index()] % 64)];
        let part = worth * discount / (one.sum + shares[2] + shares[3]);
        *income = std::array::from_fn(|seat| income[seat] + part * shares[seat]);
    }

    /// Adds for each seat whether it is the nearest to a cell; ties are shared.
    #[inline(always)]
    pub(super) fn add_firsts(&self, firsts: &mut [f32; 4], cell: Cell) {
        let shares = TIE_SHARES[usize::from(self.firsts[cell.index()] % 16)];
        *firsts = std::array::from_fn(|seat| firsts[seat] + shares[seat]);
    }
}

/// The weights of two seats in sharing a fruit, and their sum.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct PairShares {
    shares: [f32; 2],
    sum: f32,
}

/// By the lateness of both seats.
static PAIR_SHARES: [PairShares; 256] = {
    let mut pairs = [PairShares { shares: [0.0; 2], sum: 0.0 }; 256];
    let mut late = 0;
    while late < 256 {
        let (one, other) = (late % 16, late / 16);
        if one < LATE_SHARE.len() && other < LATE_SHARE.len() {
            let shares = [LATE_SHARE[one], LATE_SHARE[other]];
            pairs[late] = PairShares { shares, sum: shares[0] + shares[1] };
        }
        late += 1;
    }
    pairs
};

/// The share of each seat in a cell, by the seats that arrive there first.
static TIE_SHARES: [[f32; 4]; 16] = {
    let mut all = [[0.0; 4]; 16];
    let mut seats = 1_u32;
    while seats < 16 {
        let mut seat = 0;
        while seat < 4 {
            if seats >> seat & 1 != 0 {
                all[seats as usize][seat] = 1.0 / seats.count_ones() as f32;
            }
            seat += 1;
        }
        seats += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use pacman2_rules::picture;

    use super::*;

    /// The definition of [`Arrivals::share_fruit`], fruit by fruit.
    fn share(income: &mut [f32; 4], arrivals: [u8; 4], turns_left: u32, worth: f32) {
        let first = arrivals.into_iter().min().unwrap();
        if first == DistanceTables::UNREACHABLE || u32::from(first) > turns_left {
            return;
        }
        let shares = arrivals.map(|arrival| LATE_SHARE[usize::from(arrival - first).min(MAX_LATENESS.into())]);
        let part = worth * discount(first.into()) / (shares[0] + shares[1] + shares[2] + shares[3]);
        income.iter_mut().zip(shares).for_each(|(income, share)| *income += part * share);
    }

    #[test]
    fn all_cells_at_once_are_shared_as_one_by_one() {
        let (maze, _) = picture::read(&format!("+{0}\n|{1}|\n+{0}\n", "---+".repeat(11), ["   "; 11].join(" "))).unwrap();
        for round in 0..200_u32 {
            // Small numbers of steps, large ones, and cells that cannot be reached.
            let number = |seat: usize, cell: usize| (round * 7919 + seat as u32 * 104_729 + cell as u32 * 1299) % 1009;
            let steps: [[u8; 128]; 4] = std::array::from_fn(|seat| {
                std::array::from_fn(|cell| match number(seat, cell) {
                    number @ 0..800 => (number % 12) as u8,
                    number @ 800..950 => (number % 250) as u8,
                    _ => DistanceTables::UNREACHABLE,
                })
            });
            let (not_before, turns_left) = (round % 9 * 40, round * 3);
            let arrivals = Arrivals::new(&steps.each_ref(), not_before, turns_left);
            let (mut income, mut expected) = ([0.0; 4], [0.0; 4]);
            for cell in maze.cells() {
                let of_cell = steps.map(|steps| steps[cell.index()].max(not_before.min(250) as u8));
                arrivals.share_fruit(&mut income, cell, 1.5);
                share(&mut expected, of_cell, turns_left, 1.5);
                assert_eq!(income.map(f32::to_bits), expected.map(f32::to_bits));
                let least = of_cell.into_iter().min().filter(|&least| least != DistanceTables::UNREACHABLE);
                let firsts = of_cell.map(|steps| Some(steps) == least);
                let many = firsts.iter().filter(|&&first| first).count() as f32;
                let expected = firsts.map(|first| if first { 1.0 / many } else { 0.0 });
                let mut found = [0.0; 4];
                arrivals.add_firsts(&mut found, cell);
                assert_eq!(found, expected);
            }
        }
    }
}
