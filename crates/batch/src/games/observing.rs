//! What the players of all games see and may do.

use pacman2_rules::{Maze, Seat, State};

use super::{Block, Games};
use crate::arch::{self, Work};
use crate::columns::{Numbering, Row};
use crate::lanes::{LANES, Lanes};
use crate::observe::lanes::{Compact, CompactCentred, Planes, PlanesCentred, Writer, masks};
use crate::observe::{self, ACTIONS, View, action_mask};

impl Games {
    /// Writes what everybody sees, as [`observe::observe`] says it: game by game and seat by seat, [`View::len`] bytes each.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn observe(&self, view: View, into: &mut [u8]) {
        self.check_room(into.len(), view.len(), "views");
        arch::with(self.instruction_set, Observe { blocks: &self.blocks, view, into });
    }

    /// The same on this thread and the others of rayon's pool, as [`Games::step_in_parallel`].
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn observe_in_parallel(&self, view: View, into: &mut [u8]) {
        self.check_room(into.len(), view.len(), "views");
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let parts = self.blocks.chunks(blocks_each).zip(into.chunks_mut(blocks_each * LANES * 4 * view.len()));
        let mut parts = parts.map(|(blocks, into)| Observe { blocks, view, into });
        let first = parts.next();
        rayon::in_place_scope(|scope| {
            parts.for_each(|part| scope.spawn(move |_| arch::with(self.instruction_set, part)));
            first.into_iter().for_each(|part| arch::with(self.instruction_set, part));
        });
    }

    /// Writes which orders everybody may give, as [`action_mask`] says it: game by game and seat by seat, a byte for each of
    /// [`pacman2_rules::Order::ALL`].
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn action_masks(&self, into: &mut [u8]) {
        self.check_room(into.len(), ACTIONS, "masks");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES * 4 * ACTIONS)) {
            for (lane, into) in into.as_chunks_mut::<{ 4 * ACTIONS }>().0.iter_mut().enumerate() {
                let (into, _) = into.as_chunks_mut();
                let masks = block.action_masks(lane);
                (0..4).for_each(|seat| into[seat] = masks[seat]);
            }
        }
    }

    /// Writes who lives, 1 or 0, game by game and seat by seat.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many bytes.
    pub fn alive(&self, into: &mut [u8]) {
        self.check_room(into.len(), 1, "lives");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES * 4)) {
            for (lane, into) in into.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                *into = block.columns.alive(lane);
            }
            for (lane, _, state) in block.beside() {
                into[4 * lane..4 * lane + 4].copy_from_slice(&Seat::ALL.map(|seat| u8::from(state.alive.contains(seat))));
            }
        }
    }

    /// Writes how strong everybody is, game by game.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many games.
    pub fn strengths(&self, into: &mut [[i32; 4]]) {
        self.check(into.len(), "lists of strengths");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES)) {
            for (lane, into) in into.iter_mut().enumerate() {
                *into = block.columns.strength(lane).0;
            }
            for (lane, _, state) in block.beside() {
                into[lane] = state.strength.0;
            }
        }
    }

    fn check_room(&self, room: usize, each: usize, what: &str) {
        let wanted = 4 * self.count * each;
        assert!(room == wanted, "room for {room} bytes of {what} of {} games; {wanted} are wanted", self.count);
    }
}

impl Block {
    /// The games that their lanes do not hold.
    fn beside(&self) -> impl Iterator<Item = (usize, &Maze, &State)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(lane, place)| Some((lane, &*place.start.maze, place.beside.as_deref()?)))
    }

    #[inline(always)]
    fn observe<L: Lanes, W: Writer>(&self, view: View, into: &mut [u8]) {
        for ((lane, place), into) in self.places.iter().enumerate().zip(into.chunks_exact_mut(W::BYTES)) {
            match &place.beside {
                None => W::write::<L>(&place.start.scene, &self.columns.row(lane), into),
                // Mostly it is over, and that is all that keeps it out of its lane.
                Some(state) => match Row::to_be_seen(&place.start.maze, state, Numbering::WIDEST) {
                    Some(row) => W::write::<L>(&place.start.scene, &row, into),
                    None => observe_beside(view, &place.start.maze, state, into),
                },
            }
        }
    }

    /// What each may do in the game of a lane.
    #[inline]
    pub(super) fn action_masks(&self, lane: usize) -> [[u8; ACTIONS]; 4] {
        let place = &self.places[lane];
        match &place.beside {
            None => masks(&place.start.scene, &self.columns.row(lane)).map(|mask| *mask),
            Some(state) => Seat::ALL.map(|seat| action_mask(&place.start.maze, state, seat)),
        }
    }
}

#[cold]
fn observe_beside(view: View, maze: &Maze, state: &State, into: &mut [u8]) {
    for (seat, into) in Seat::ALL.into_iter().zip(into.chunks_exact_mut(view.len())) {
        observe::observe(view, maze, state, seat, into);
    }
}

struct Observe<'a> {
    blocks: &'a [Block],
    view: View,
    into: &'a mut [u8],
}

impl Work for Observe<'_> {
    type Done = ();

    #[inline(always)]
    fn with<L: Lanes>(self) {
        match self.view {
            View::Compact => self.write::<L, Compact>(),
            View::Planes => self.write::<L, Planes>(),
            View::CompactCentred => self.write::<L, CompactCentred>(),
            View::PlanesCentred => self.write::<L, PlanesCentred>(),
        }
    }
}

impl Observe<'_> {
    #[inline(always)]
    fn write<L: Lanes, W: Writer>(self) {
        L::within(
            #[inline(always)]
            || {
                for (block, into) in self.blocks.iter().zip(self.into.chunks_mut(LANES * W::BYTES)) {
                    block.observe::<L, W>(self.view, into);
                }
            },
        );
    }
}
