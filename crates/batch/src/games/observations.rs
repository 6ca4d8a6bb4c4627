//! Observations and action masks of all games.

use std::sync::Arc;

use pacman2_rules::{Maze, Seat, State};

use super::{Block, Games};
use crate::StartPosition;
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};
use crate::observe::simd::{Compact, CompactCentred, Planes, PlanesCentred, ViewWriter, masks};
use crate::observe::{self, ACTIONS, View, action_mask};
use crate::soa_states::{Numbering, PackedState};

impl Games {
    /// Writes what all players see, as [`observe::observe`] does: game by game and seat by seat, [`View::len`] bytes each.
    ///
    /// # Panics
    ///
    /// If the length of `into` is not that of all views.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pacman2_batch::observe::{self, View};
    /// use pacman2_batch::{Games, InstructionSet, StartPosition};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 98/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let starts = vec![Arc::new(StartPosition::new(maze, state))];
    /// let games = Games::new(InstructionSet::best(), 2, 1, Arc::new(starts));
    /// let mut views = vec![0; 2 * 4 * View::Compact.len()];
    /// games.observe(View::Compact, &mut views);
    /// let first = &views[..View::Compact.len()];
    /// assert_eq!(first[observe::TURNS_LEFT], 2);
    /// ```
    pub fn observe(&self, view: View, into: &mut [u8]) {
        self.assert_room(into.len(), view.len(), "views");
        arch::dispatch(self.instruction_set, Observe { blocks: &self.blocks, view, into });
    }

    /// Writes what [`Games::observe`] does, on this thread and the others of rayon's pool; see [`Games::step_in_parallel`].
    ///
    /// # Panics
    ///
    /// As [`Games::observe`].
    pub fn observe_in_parallel(&self, view: View, into: &mut [u8]) {
        self.assert_room(into.len(), view.len(), "views");
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let parts = self.blocks.chunks(blocks_each).zip(into.chunks_mut(blocks_each * LANES * 4 * view.len()));
        let mut parts = parts.map(|(blocks, into)| Observe { blocks, view, into });
        let first = parts.next();
        rayon::in_place_scope(|scope| {
            parts.for_each(|part| scope.spawn(move |_| arch::dispatch(self.instruction_set, part)));
            first.into_iter().for_each(|part| arch::dispatch(self.instruction_set, part));
        });
    }

    /// Writes what [`Games::observe`] does for [`View::Planes`], into a buffer that only this function writes to: it skips what has not
    /// changed since `shown` was last passed along. A game that is overwritten as a whole is noticed, and written anew.
    ///
    /// # Panics
    ///
    /// As [`Games::observe`].
    pub fn update_planes(&self, shown: &mut ShownPlanes, into: &mut [u8]) {
        self.assert_room(into.len(), View::Planes.len(), "views");
        shown.follow(into, self.count);
        arch::dispatch(self.instruction_set, UpdatePlanes { blocks: &self.blocks, shown: &mut shown.games, into });
    }

    /// Writes what [`Games::update_planes`] does, on this thread and the others of rayon's pool; see [`Games::step_in_parallel`].
    ///
    /// # Panics
    ///
    /// As [`Games::observe`].
    pub fn update_planes_in_parallel(&self, shown: &mut ShownPlanes, into: &mut [u8]) {
        self.assert_room(into.len(), View::Planes.len(), "views");
        shown.follow(into, self.count);
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let games_each = blocks_each * LANES;
        let parts = self
            .blocks
            .chunks(blocks_each)
            .zip(shown.games.chunks_mut(games_each))
            .zip(into.chunks_mut(games_each * Planes::BYTES));
        let mut parts = parts.map(|((blocks, shown), into)| UpdatePlanes { blocks, shown, into });
        let first = parts.next();
        rayon::in_place_scope(|scope| {
            parts.for_each(|part| scope.spawn(move |_| arch::dispatch(self.instruction_set, part)));
            first.into_iter().for_each(|part| arch::dispatch(self.instruction_set, part));
        });
    }

    /// Writes which actions all players may take, as [`action_mask`] returns it: game by game and seat by seat, a byte for each
    /// of [`Action::ALL`](pacman2_rules::Action::ALL).
    ///
    /// # Panics
    ///
    /// If the length of `into` is not that of all masks.
    pub fn action_masks(&self, into: &mut [u8]) {
        self.assert_room(into.len(), ACTIONS, "masks");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES * 4 * ACTIONS)) {
            for (lane, into) in into.as_chunks_mut::<{ 4 * ACTIONS }>().0.iter_mut().enumerate() {
                let (into, _) = into.as_chunks_mut();
                let masks = block.action_masks(lane);
                (0..4).for_each(|seat| into[seat] = masks[seat]);
            }
        }
    }

    /// Writes who is alive, as 1 or 0, game by game and seat by seat.
    ///
    /// # Panics
    ///
    /// If the length of `into` is not four bytes per game.
    pub fn alive(&self, into: &mut [u8]) {
        self.assert_room(into.len(), 1, "life flags");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES * 4)) {
            for (lane, into) in into.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                *into = block.states.alive(lane);
            }
            for (lane, _, state) in block.in_fallback() {
                into[4 * lane..4 * lane + 4].copy_from_slice(&Seat::ALL.map(|seat| u8::from(state.alive.contains(seat))));
            }
        }
    }

    /// Writes the strengths, game by game.
    ///
    /// # Panics
    ///
    /// If the length of `into` is not the number of games.
    pub fn strengths(&self, into: &mut [[i32; 4]]) {
        self.assert_count(into.len(), "lists of strengths");
        for (block, into) in self.blocks.iter().zip(into.chunks_mut(LANES)) {
            for (lane, into) in into.iter_mut().enumerate() {
                *into = block.states.strength(lane).0;
            }
            for (lane, _, state) in block.in_fallback() {
                into[lane] = state.strength.0;
            }
        }
    }

    fn assert_room(&self, room: usize, each: usize, what: &str) {
        let expected = 4 * self.count * each;
        assert!(room == expected, "expected room for {expected} bytes, the {what} of {} games, got {room}", self.count);
    }
}

impl Block {
    /// Returns the games that their lanes do not hold.
    fn in_fallback(&self) -> impl Iterator<Item = (usize, &Maze, &State)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(lane, slot)| Some((lane, &*slot.start.maze, slot.scalar_fallback.as_deref()?)))
    }

    #[inline(always)]
    fn observe<L: Lanes, W: ViewWriter>(&self, lanes: L, view: View, into: &mut [u8]) {
        for ((lane, slot), into) in self.slots.iter().enumerate().zip(into.chunks_exact_mut(W::BYTES)) {
            match &slot.scalar_fallback {
                None => W::write(lanes, &slot.start.view_tables, &self.states.packed(lane), into),
                // In most cases the lane could hold it, if it were not over.
                Some(state) => match PackedState::for_observation(&slot.start.maze, state, Numbering::WIDEST) {
                    Some(packed) => W::write(lanes, &slot.start.view_tables, &packed, into),
                    None => observe_from_reference(view, &slot.start.maze, state, into),
                },
            }
        }
    }

    #[inline(always)]
    fn update_planes<L: Lanes>(&self, lanes: L, shown: &mut [ShownGame], into: &mut [u8]) {
        for (((lane, slot), shown), into) in self.slots.iter().enumerate().zip(shown).zip(into.chunks_exact_mut(Planes::BYTES)) {
            let game = match &slot.scalar_fallback {
                None => self.states.packed(lane),
                Some(state) => match PackedState::for_observation(&slot.start.maze, state, Numbering::WIDEST) {
                    Some(packed) => packed,
                    None => {
                        observe_from_reference(View::Planes, &slot.start.maze, state, into);
                        shown.start = None;
                        continue;
                    }
                },
            };
            let tables = &slot.start.view_tables;
            let is_same_game = shown.start.as_ref().is_some_and(|start| Arc::ptr_eq(start, &slot.start));
            if is_same_game && Planes::still_show(&shown.game, into) {
                Planes::update(lanes, tables, &shown.game, &game, into);
            } else {
                Planes::write(lanes, tables, &game, into);
                shown.start = Some(Arc::clone(&slot.start));
            }
            shown.game = game;
        }
    }

    /// Returns the action masks of the game in a lane.
    #[inline]
    pub(super) fn action_masks(&self, lane: usize) -> [[u8; ACTIONS]; 4] {
        let slot = &self.slots[lane];
        match &slot.scalar_fallback {
            None => masks(&slot.start.view_tables, &self.states.packed(lane)).map(|mask| *mask),
            Some(state) => Seat::ALL.map(|seat| action_mask(&slot.start.maze, state, seat)),
        }
    }
}

#[cold]
fn observe_from_reference(view: View, maze: &Maze, state: &State, into: &mut [u8]) {
    for (seat, into) in Seat::ALL.into_iter().zip(into.chunks_exact_mut(view.len())) {
        observe::observe(view, maze, state, seat, into);
    }
}

/// What [`Games::update_planes`] wrote last into a buffer.
#[derive(Clone, Default)]
pub struct ShownPlanes {
    games: Vec<ShownGame>,
    /// The address of the buffer.
    buffer: usize,
}

impl ShownPlanes {
    /// Forgets everything if this is another buffer.
    fn follow(&mut self, buffer: &[u8], games: usize) {
        let address = buffer.as_ptr().addr();
        if self.buffer != address {
            *self = ShownPlanes { games: Vec::new(), buffer: address };
        }
        self.games.resize_with(games, ShownGame::default);
    }
}

#[derive(Clone, Default)]
struct ShownGame {
    /// What the game began with: its maze, whose planes do not change. `None` if the views show something else.
    start: Option<Arc<StartPosition>>,
    game: PackedState,
}

struct UpdatePlanes<'a> {
    blocks: &'a [Block],
    shown: &'a mut [ShownGame],
    into: &'a mut [u8],
}

impl Work for UpdatePlanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let parts = self.blocks.iter().zip(self.shown.chunks_mut(LANES)).zip(self.into.chunks_mut(LANES * Planes::BYTES));
        for ((block, shown), into) in parts {
            block.update_planes(lanes, shown, into);
        }
    }
}

struct Observe<'a> {
    blocks: &'a [Block],
    view: View,
    into: &'a mut [u8],
}

impl Work for Observe<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        match self.view {
            View::Compact => self.write::<L, Compact>(lanes),
            View::Planes => self.write::<L, Planes>(lanes),
            View::CompactCentred => self.write::<L, CompactCentred>(lanes),
            View::PlanesCentred => self.write::<L, PlanesCentred>(lanes),
        }
    }
}

impl Observe<'_> {
    #[inline(always)]
    fn write<L: Lanes, W: ViewWriter>(self, lanes: L) {
        for (block, into) in self.blocks.iter().zip(self.into.chunks_mut(LANES * W::BYTES)) {
            block.observe::<L, W>(lanes, self.view, into);
        }
    }
}
