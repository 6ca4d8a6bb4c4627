//! One byte for each seat, all four in one register: what lets a turn ask something of everyone at once.
//!
//! Nobody can foresee random play, processors neither. Each branch on what one player does is guessed wrong now and then, at
//! the price of dozens of additions. Here the four are moved, compared and looked up side by side, without a branch; the
//! steps then look, one by one, only at those to whom something happens.

use crate::field::{Cell, CellSet, Direction};
use crate::seat::{BySeat, Seat, SeatSet};

/// The lowest bit of each byte.
const ONES: u32 = 0x0101_0101;

/// What each player is about to do: the cell where it will be if it stays or walks an open way, else [`Aims::LIGHT`] plus a
/// direction, or [`Aims::IMPOSSIBLE`]; the dead do [`Aims::NOTHING`].
#[derive(Clone, Copy)]
pub(crate) struct Aims(u32);

impl Aims {
    /// To shoot: the topmost bit, to which a direction is added.
    pub(crate) const LIGHT: u8 = 0x80;
    /// To walk into a wall, or what does not exist. It has the topmost bit too.
    pub(crate) const IMPOSSIBLE: u8 = 0xff;
    /// To be nowhere.
    pub(crate) const NOTHING: u8 = Cell::NOWHERE.byte();

    /// The aims, packed.
    #[inline(always)]
    pub(crate) fn new(aims: BySeat<u8>) -> Aims {
        Aims(u32::from_le_bytes(aims.0))
    }

    /// These aims for the seats in the set; the others do nothing.
    #[inline(always)]
    pub(crate) fn only(self, seats: SeatSet) -> Aims {
        let kept = whole_bytes(seats);
        Aims(self.0 & kept | (u32::from(Aims::NOTHING) * ONES) & !kept)
    }

    /// Who neither stays nor walks an open way.
    #[inline(always)]
    pub(crate) fn others(self) -> SeatSet {
        SeatSet::from_lanes(self.0)
    }

    /// Where everyone will be who is `here` now.
    #[inline(always)]
    pub(crate) fn places(self, here: Places) -> Places {
        // Most turns are dark; to ask that first makes random play 1 to 7 % faster.
        if self.others().is_empty() {
            return Places(self.0);
        }
        let stay = whole_bytes(self.others());
        Places(self.0 & !stay | here.0 & stay)
    }

    /// The direction of a player's light.
    #[inline(always)]
    pub(crate) fn direction(self, seat: Seat) -> Direction {
        match byte(self.0, seat) % 4 {
            0 => Direction::Up,
            1 => Direction::Right,
            2 => Direction::Down,
            _ => Direction::Left,
        }
    }
}

/// Where each player is; the dead may be [nowhere](Cell::NOWHERE).
#[derive(Clone, Copy)]
pub(crate) struct Places(u32);

impl Places {
    /// The places, packed.
    #[inline(always)]
    pub(crate) fn new(cells: BySeat<Cell>) -> Places {
        Places(u32::from_le_bytes(cells.0.map(Cell::byte)))
    }

    /// The places, unpacked.
    #[inline(always)]
    pub(crate) fn by_seat(self) -> BySeat<Cell> {
        BySeat(self.0.to_le_bytes().map(Cell::new))
    }

    /// The place of one player.
    #[inline(always)]
    pub(crate) fn at(self, seat: Seat) -> Cell {
        Cell::new(byte(self.0, seat))
    }

    /// Puts one player elsewhere.
    #[inline(always)]
    pub(crate) fn put(&mut self, seat: Seat, cell: Cell) {
        let shift = 8 * seat.index();
        self.0 = self.0 & !(0xff << shift) | u32::from(cell.byte()) << shift;
    }

    /// These places for the seats in the set; the others are nowhere.
    #[inline(always)]
    pub(crate) fn only(self, seats: SeatSet) -> Places {
        let absent = (!seats).lanes();
        // In each byte 128 less 1, or 0 less 0: NOWHERE, over which no cell's bits stand out.
        Places(self.0 | (absent - (absent >> 7)))
    }

    /// These places for the seats in the set, and for the others those in `rest`.
    #[inline(always)]
    pub(crate) fn or(self, seats: SeatSet, rest: Places) -> Places {
        let these = whole_bytes(seats);
        Places(self.0 & these | rest.0 & !these)
    }

    /// Who is where, in `then`, another is.
    #[inline(always)]
    pub(crate) fn of_others(self, then: Places) -> SeatSet {
        let flipped = then.flipped();
        let [next, opposite, last] = [8, 16, 24].map(|by| self.topmost_if_equal(flipped.rotate_right(by)));
        SeatSet::from_lanes(next | opposite | last)
    }

    /// Who is where another is. To ask so, and not player by player, makes random play a fifth faster.
    #[inline(always)]
    pub(crate) fn shared(self) -> SeatSet {
        let flipped = self.flipped();
        let next = self.topmost_if_equal(flipped.rotate_right(8));
        let opposite = self.topmost_if_equal(flipped.rotate_right(16));
        SeatSet::from_lanes(next | next.rotate_left(8) | opposite)
    }

    /// Who is alone on one of these cells.
    #[inline(always)]
    pub(crate) fn alone_on(self, cells: CellSet) -> SeatSet {
        let mut alone = SeatSet::EMPTY;
        for cell in cells.iter() {
            let there = Places(u32::from(cell.byte()) * ONES);
            let there = SeatSet::from_lanes(self.topmost_if_equal(there.flipped()));
            if there.len() == 1 {
                alone |= there;
            }
        }
        alone
    }

    /// Who is on one of these cells.
    #[inline(always)]
    pub(crate) fn on(self, cells: CellSet) -> SeatSet {
        // Mostly nobody is; to ask that first makes random play 2 to 4 % faster.
        if (self.cells() & cells).is_empty() {
            return SeatSet::EMPTY;
        }
        let places = self.by_seat();
        SeatSet::from_fn(|seat| cells.contains(places[seat]))
    }

    /// The cells where anyone is.
    #[inline(always)]
    pub(crate) fn cells(self) -> CellSet {
        let [a, b, c, d] = self.by_seat().0.map(CellSet::of);
        a | b | c | d
    }

    /// All bits but the topmost of each byte flipped.
    #[inline(always)]
    fn flipped(self) -> u32 {
        self.0 ^ (0x7f * ONES)
    }

    /// In each byte the topmost bit is set if the place here is the one there, there flipped. The other bits say nothing.
    #[inline(always)]
    fn topmost_if_equal(self, flipped: u32) -> u32 {
        // Two equal bytes give 127 + 1, others at most 126 + 1: nothing is carried to the next byte.
        (self.0 ^ flipped).wrapping_add(ONES)
    }
}

/// The byte of a seat.
#[inline(always)]
fn byte(lanes: u32, seat: Seat) -> u8 {
    (lanes >> (8 * seat.index())) as u8
}

/// All bits of the bytes of these seats.
#[inline(always)]
fn whole_bytes(seats: SeatSet) -> u32 {
    (seats.lanes() << 1).wrapping_sub(seats.lanes() >> 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: [Cell; 5] = [Cell::new(0), Cell::new(1), Cell::new(63), Cell::new(64), Cell::new(120)];

    fn all_cells() -> impl Iterator<Item = BySeat<Cell>> {
        (0..625).map(|number| BySeat([1, 5, 25, 125].map(|power| CELLS[number / power % 5])))
    }

    fn all_sets() -> impl Iterator<Item = SeatSet> {
        (0..16).map(|bits| SeatSet::from_fn(|seat| bits >> seat.index() & 1 != 0))
    }

    #[test]
    fn places_agree_with_cells_one_by_one() {
        for (cells, seats) in all_cells().flat_map(|cells| all_sets().map(move |seats| (cells, seats))) {
            let present = BySeat::from_fn(|seat| seats.contains(seat).then_some(cells[seat]));
            let places = Places::new(cells).only(seats);
            assert_eq!(places.by_seat(), present.map(|cell| cell.unwrap_or(Cell::NOWHERE)));
            assert_eq!(places.cells(), present.0.into_iter().flatten().collect());
            let shares = |seat| seats.iter().any(|other| other != seat && cells[other] == cells[seat]);
            assert_eq!(places.shared().and(seats), SeatSet::from_fn(shares).and(seats));
            for cell in CELLS {
                let here = SeatSet::from_fn(|seat| present[seat] == Some(cell));
                let set = CellSet::of(cell) | CellSet::of(CELLS[0]);
                let on_set = SeatSet::from_fn(|seat| present[seat].is_some_and(|cell| set.contains(cell)));
                assert_eq!(places.on(set), on_set);
                assert_eq!(places.alone_on(set), SeatSet::from_fn(|seat| on_set.contains(seat) && !shares(seat)));
                for seat in Seat::ALL {
                    let mut moved = places;
                    moved.put(seat, cell);
                    assert_eq!(moved.at(seat), cell);
                    assert_eq!(moved.only(!SeatSet::of(seat)).by_seat(), places.only(!SeatSet::of(seat)).by_seat());
                    assert_eq!(moved.on(CellSet::of(cell)), here | SeatSet::of(seat));
                }
            }
            let elsewhere = BySeat([3, 2, 1, 0].map(|seat| cells.0[seat]));
            let then = Places::new(elsewhere);
            let of_another = |seat| Seat::ALL.into_iter().any(|other| other != seat && elsewhere[other] == cells[seat]);
            assert_eq!(Places::new(cells).of_others(then), SeatSet::from_fn(of_another));
            let either = BySeat::from_fn(|seat| if seats.contains(seat) { cells[seat] } else { elsewhere[seat] });
            assert_eq!(Places::new(cells).or(seats, then).by_seat(), either);
        }
    }

    #[test]
    fn aims_say_who_goes_where() {
        for (cells, seats) in all_cells().flat_map(|cells| all_sets().map(move |seats| (cells, seats))) {
            let here = Places::new(BySeat([CELLS[3]; 4]));
            let aims = BySeat::from_fn(|seat| {
                let light = Aims::LIGHT | Direction::ALL[3 - seat.index()].index() as u8;
                if seats.contains(seat) { light } else { cells[seat].byte() }
            });
            let aims = Aims::new(aims);
            assert_eq!(aims.others(), seats);
            assert_eq!(aims.places(here).by_seat(), here.or(seats, Places::new(cells)).by_seat());
            for seat in seats.iter() {
                assert_eq!(aims.direction(seat), Direction::ALL[3 - seat.index()]);
            }
            let all = BySeat::from_fn(|seat| if seats.contains(seat) { cells[seat] } else { Cell::NOWHERE });
            let walkers = Aims::new(cells.map(Cell::byte)).only(seats);
            assert_eq!((walkers.places(here).by_seat(), walkers.others()), (all, SeatSet::EMPTY));
        }
    }
}
