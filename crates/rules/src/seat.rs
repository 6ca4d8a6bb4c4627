//! The four seats of a game, one value for each seat, and sets of seats.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Index, IndexMut, Not};

/// One of the four players of a game, 0 to 3 as in Botzone's programs.
///
/// ```
/// use pacman2_rules::Seat;
///
/// assert_eq!(Seat::new(2), Some(Seat::S2));
/// assert_eq!(Seat::new(4), None);
/// assert_eq!(Seat::S2.to_string(), "2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "seats have only numbers")]
pub enum Seat {
    S0,
    S1,
    S2,
    S3,
}

impl Seat {
    /// All seats, in the order in which actions are checked and light is resolved.
    pub const ALL: [Seat; 4] = [Seat::S0, Seat::S1, Seat::S2, Seat::S3];

    /// Returns the seat of a number, or `None` if it is not 0 to 3.
    #[must_use]
    pub fn new(number: usize) -> Option<Seat> {
        Seat::ALL.get(number).copied()
    }

    /// Returns the number, 0 to 3.
    #[must_use]
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

/// One value for each seat.
///
/// ```
/// use pacman2_rules::{BySeat, Seat};
///
/// let mut strength = BySeat([1; 4]);
/// strength[Seat::S1] += 5;
/// assert_eq!(strength.map(|strength| strength > 1), BySeat([false, true, false, false]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BySeat<T>(pub [T; 4]);

impl<T> BySeat<T> {
    /// Returns the value of `make` for each seat.
    ///
    /// ```
    /// use pacman2_rules::BySeat;
    ///
    /// assert_eq!(BySeat::from_fn(|seat| 10 * seat.index()), BySeat([0, 10, 20, 30]));
    /// ```
    #[inline]
    pub fn from_fn(mut make: impl FnMut(Seat) -> T) -> Self {
        // Written out, so that the values stay in registers.
        BySeat([make(Seat::S0), make(Seat::S1), make(Seat::S2), make(Seat::S3)])
    }

    /// Returns the values with their seats, seat 0 first.
    ///
    /// ```
    /// use pacman2_rules::BySeat;
    ///
    /// let strength = BySeat([3, 8, 0, 2]);
    /// let (strongest, _) = strength.iter().max_by_key(|&(_, strength)| strength).unwrap();
    /// assert_eq!(strongest.index(), 1);
    /// ```
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        Seat::ALL.into_iter().zip(&self.0)
    }

    /// Returns the values changed by `change`, seat by seat.
    #[inline]
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySeat<U> {
        let [a, b, c, d] = self.0;
        BySeat([change(a), change(b), change(c), change(d)])
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
/// ```
/// use pacman2_rules::{Seat, SeatSet};
///
/// let mut alive = SeatSet::FULL;
/// alive.remove(Seat::S2);
/// assert_eq!(alive.iter().map(Seat::index).collect::<Vec<_>>(), [0, 1, 3]);
/// assert_eq!(!alive, SeatSet::of(Seat::S2));
/// ```
// The bit of a seat is the top bit of its byte, where a comparison of all four bytes of a register leaves its results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u32);

impl SeatSet {
    /// The empty set.
    pub const EMPTY: SeatSet = SeatSet(0);
    /// All four seats.
    pub const FULL: SeatSet = SeatSet(0x8080_8080);

    /// Returns the seats whose bytes have their top bit set.
    #[inline(always)]
    pub(crate) const fn from_lanes(lanes: u32) -> SeatSet {
        SeatSet(lanes & SeatSet::FULL.0)
    }

    /// Returns the top bits of the bytes of these seats.
    #[inline(always)]
    pub(crate) const fn lanes(self) -> u32 {
        self.0
    }

    /// Returns the set of one seat.
    #[must_use]
    #[inline]
    pub const fn of(seat: Seat) -> SeatSet {
        SeatSet(0x80 << (8 * seat.index()))
    }

    /// Returns the seats for which `belongs` returns `true`.
    ///
    /// ```
    /// use pacman2_rules::{BySeat, SeatSet};
    ///
    /// let strength = BySeat([3, 8, 0, 2]);
    /// assert_eq!(SeatSet::from_fn(|seat| strength[seat] > 2).len(), 2);
    /// ```
    #[inline]
    pub fn from_fn(mut belongs: impl FnMut(Seat) -> bool) -> SeatSet {
        let [a, b, c, d] = BySeat::from_fn(|seat| u32::from(belongs(seat))).0;
        SeatSet(a << 7 | b << 15 | c << 23 | d << 31)
    }

    /// Returns whether `seat` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & SeatSet::of(seat).0 != 0
    }

    /// Adds `seat`.
    #[inline]
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= SeatSet::of(seat).0;
    }

    /// Removes `seat`.
    #[inline]
    pub fn remove(&mut self, seat: Seat) {
        self.0 &= !SeatSet::of(seat).0;
    }

    /// Returns the number of seats.
    #[must_use]
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the seats in both sets.
    ///
    /// ```
    /// use pacman2_rules::{Seat, SeatSet};
    ///
    /// let one = SeatSet::of(Seat::S1);
    /// assert_eq!(one.and(SeatSet::FULL), one);
    /// ```
    #[must_use]
    #[inline]
    pub const fn and(self, other: SeatSet) -> SeatSet {
        SeatSet(self.0 & other.0)
    }

    /// Returns the seats, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        // Bit by bit, since sets are small and mostly empty: a test of each seat would make random play a third slower.
        let mut rest = self.0;
        std::iter::from_fn(move || {
            // From a table: a match becomes a jump, which is often mispredicted.
            let first = Seat::ALL[rest.trailing_zeros() as usize / 8 % 4];
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
