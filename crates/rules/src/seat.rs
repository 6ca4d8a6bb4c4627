//! The four seats of a game, one value per seat, and sets of seats.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Index, IndexMut, Not};

/// One of the four players of a game, 0 to 3 as in Botzone's programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the four seats have no names but their numbers")]
pub enum Seat {
    S0,
    S1,
    S2,
    S3,
}

impl Seat {
    /// All seats in the order in which orders are examined and lights are resolved.
    pub const ALL: [Seat; 4] = [Seat::S0, Seat::S1, Seat::S2, Seat::S3];

    /// The seat with that number, if it is 0 to 3.
    pub fn new(number: usize) -> Option<Seat> {
        Seat::ALL.get(number).copied()
    }

    /// The seat's number, 0 to 3.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index())
    }
}

/// One `T` for each seat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BySeat<T>(pub [T; 4]);

impl<T> BySeat<T> {
    /// One value for each seat, made by `make`.
    #[inline]
    pub fn from_fn(mut make: impl FnMut(Seat) -> T) -> Self {
        BySeat(Seat::ALL.map(&mut make))
    }

    /// The values with their seats, seat 0 first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        Seat::ALL.into_iter().zip(&self.0)
    }

    /// The values changed by `change`, seat by seat.
    #[inline]
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat(self.0.map(change))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// A set of seats.
///
/// Inside, a seat's bit is the topmost of the seat's byte, where a comparison of all four bytes of a register leaves its
/// answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u32);

impl SeatSet {
    /// Nobody.
    pub const EMPTY: SeatSet = SeatSet(0);
    /// All four.
    pub const FULL: SeatSet = SeatSet(0x8080_8080);

    /// The set of the seats whose bytes have their topmost bit.
    #[inline(always)]
    pub(crate) const fn from_lanes(lanes: u32) -> SeatSet {
        SeatSet(lanes & SeatSet::FULL.0)
    }

    /// The topmost bits of the bytes of these seats.
    #[inline(always)]
    pub(crate) const fn lanes(self) -> u32 {
        self.0
    }

    /// The set of this one seat.
    #[inline]
    pub const fn of(seat: Seat) -> SeatSet {
        SeatSet(0x80 << (8 * seat.index()))
    }

    /// The seats for which `belongs` holds.
    #[inline]
    pub fn from_fn(mut belongs: impl FnMut(Seat) -> bool) -> SeatSet {
        SeatSet(Seat::ALL.into_iter().fold(0, |bits, seat| bits | (u32::from(belongs(seat)) << (8 * seat.index() + 7))))
    }

    /// Whether `seat` is in the set.
    #[inline]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & SeatSet::of(seat).0 != 0
    }

    /// Puts `seat` into the set.
    #[inline]
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= SeatSet::of(seat).0;
    }

    /// Takes `seat` out of the set.
    #[inline]
    pub fn remove(&mut self, seat: Seat) {
        self.0 &= !SeatSet::of(seat).0;
    }

    /// How many seats are in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether nobody is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats in both sets.
    #[inline]
    pub const fn and(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 & other.0)
    }

    /// The seats in the set, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        // From bit to bit, for sets are small and mostly empty: to ask each seat would make random play a third slower.
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = match rest.trailing_zeros() / 8 % 4 {
                0 => Seat::S0,
                1 => Seat::S1,
                2 => Seat::S2,
                _ => Seat::S3,
            };
            let any = rest != 0;
            rest &= rest.wrapping_sub(1);
            any.then_some(first)
        })
    }
}

impl BitOr for SeatSet {
    type Output = SeatSet;
    #[inline]
    fn bitor(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 | other.0)
    }
}

impl BitOrAssign for SeatSet {
    #[inline]
    fn bitor_assign(&mut self, other: SeatSet) {
        self.0 |= other.0;
    }
}

impl Not for SeatSet {
    type Output = SeatSet;
    #[inline]
    fn not(self) -> SeatSet {
        SeatSet(self.0 ^ SeatSet::FULL.0)
    }
}

impl fmt::Debug for SeatSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
