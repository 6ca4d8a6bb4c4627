//! Observations and action masks of all games.

use std::sync::Arc;

use pacman2_rules::{Maze, Seat, State};

use super::{Block, Games, StartPosition};
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};
use crate::observe::simd::{Compact, Planes, PlanesCentred, ViewWriter, masks};
use crate::observe::{self, ACTIONS, View, action_mask};
use crate::soa_states::{DEAD, NumbersByGame, PackedState};

/// Buffers with a row for each player, game by game and seat by seat.
pub struct PlayerRows<'a> {
    /// [`View::len`] bytes for each row: what [`Games::observe`] writes.
    pub views: &'a mut [u8],
    /// [`ACTIONS`] bytes for each row: what [`Games::action_masks`] writes.
    pub action_masks: &'a mut [u8],
    /// A byte for each row: what [`Games::alive`] writes.
    pub alive: &'a mut [u8],
}

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
        let (mut action_masks, mut alive) = (vec![0; 4 * self.count * ACTIONS], vec![0; 4 * self.count]);
        self.observe_players(view, PlayerRows { views: into, action_masks: &mut action_masks, alive: &mut alive });
    }

    /// Writes observations, action masks and which players are alive, as [`Games::observe`], [`Games::action_masks`] and [`Games::alive`]
    /// do, in one pass over the games.
    ///
    /// # Panics
    ///
    /// As these.
    pub fn observe_players(&self, view: View, into: PlayerRows<'_>) {
        self.assert_rows(view, &into);
        arch::dispatch(self.instruction_set, ObservePlayers { blocks: &self.blocks, view, into });
    }

    /// Writes what [`Games::observe_players`] does, on this thread and the others of rayon's pool; see
    /// [`Games::step_in_parallel`].
    ///
    /// # Panics
    ///
    /// As [`Games::observe_players`].
    pub fn observe_players_in_parallel(&self, view: View, into: PlayerRows<'_>) {
        self.assert_rows(view, &into);
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let rows_each = blocks_each * LANES * 4;
        let views = into.views.chunks_mut(rows_each * view.len());
        let masks = into.action_masks.chunks_mut(rows_each * ACTIONS);
        let rows = views.zip(masks).zip(into.alive.chunks_mut(rows_each));
        let mut parts = self.blocks.chunks(blocks_each).zip(rows).map(|(blocks, ((views, action_masks), alive))| {
            let into = PlayerRows { views, action_masks, alive };
            ObservePlayers { blocks, view, into }
        });
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

    /// Writes which players are alive, as 1 or 0, game by game and seat by seat.
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

    fn assert_rows(&self, view: View, rows: &PlayerRows<'_>) {
        self.assert_room(rows.views.len(), view.len(), "views");
        self.assert_room(rows.action_masks.len(), ACTIONS, "masks");
        self.assert_room(rows.alive.len(), 1, "life flags");
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
        slots.filter_map(|(lane, slot)| Some((lane, &**slot.start.maze(), slot.scalar_fallback.as_deref()?)))
    }

    #[inline(always)]
    fn update_planes<L: Lanes>(&self, lanes: L, shown: &mut [ShownGame], into: &mut [u8]) {
        let by_game = if self.is_scalar { NumbersByGame::ZEROS } else { self.states.by_game() };
        for (((lane, slot), shown), into) in self.slots.iter().enumerate().zip(shown).zip(into.chunks_exact_mut(Planes::BYTES)) {
            let game = match &slot.scalar_fallback {
                None => self.states.packed_from(&by_game, lane),
                Some(state) => match PackedState::for_observation(slot.start.maze(), state) {
                    Some(packed) => packed,
                    None => {
                        observe_from_reference(View::Planes, slot.start.maze(), state, into);
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

    #[inline(always)]
    fn observe_players<L: Lanes, W: ViewWriter>(&self, lanes: L, view: View, into: PlayerRows<'_>) {
        let by_game = if self.is_scalar { NumbersByGame::ZEROS } else { self.states.by_game() };
        let views = into.views.chunks_exact_mut(W::BYTES);
        let (all_masks, _) = into.action_masks.as_chunks_mut::<ACTIONS>();
        let rows = views.zip(all_masks.as_chunks_mut::<4>().0).zip(into.alive.as_chunks_mut::<4>().0);
        for ((lane, slot), ((view_rows, mask_rows), alive)) in self.slots.iter().enumerate().zip(rows) {
            match &slot.scalar_fallback {
                None => {
                    let (game, tables) = (self.states.packed_from(&by_game, lane), &slot.start.view_tables);
                    W::write(lanes, tables, &game, view_rows);
                    let masks = masks(tables, &game);
                    each_seat!(seat {
                        mask_rows[seat] = *masks[seat];
                        alive[seat] = u8::from(game.cells[seat] & DEAD == 0);
                    });
                }
                Some(state) => {
                    observe_fallback::<L, W>(lanes, view, &slot.start, state, view_rows);
                    *mask_rows = Seat::ALL.map(|seat| action_mask(slot.start.maze(), state, seat));
                    *alive = Seat::ALL.map(|seat| u8::from(state.alive.contains(seat)));
                }
            }
        }
    }

    /// Returns the action masks of the game in a lane.
    #[inline]
    pub(super) fn action_masks(&self, lane: usize) -> [[u8; ACTIONS]; 4] {
        let slot = &self.slots[lane];
        match &slot.scalar_fallback {
            None => masks(&slot.start.view_tables, &self.states.packed(lane)).map(|mask| *mask),
            Some(state) => Seat::ALL.map(|seat| action_mask(slot.start.maze(), state, seat)),
        }
    }
}

/// Writes what all players see of a game that its lane does not hold.
#[inline(always)]
fn observe_fallback<L: Lanes, W: ViewWriter>(lanes: L, view: View, start: &StartPosition, state: &State, into: &mut [u8]) {
    // In most cases the lane could hold it.
    match PackedState::for_observation(start.maze(), state) {
        Some(packed) => W::write(lanes, &start.view_tables, &packed, into),
        None => observe_from_reference(view, start.maze(), state, into),
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

struct ObservePlayers<'a> {
    blocks: &'a [Block],
    view: View,
    into: PlayerRows<'a>,
}

impl Work for ObservePlayers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        match self.view {
            View::Compact => self.write::<L, Compact>(lanes),
            View::Planes => self.write::<L, Planes>(lanes),
            View::PlanesCentred => self.write::<L, PlanesCentred>(lanes),
        }
    }
}

impl ObservePlayers<'_> {
    #[inline(always)]
    fn write<L: Lanes, W: ViewWriter>(self, lanes: L) {
        let PlayerRows { views, action_masks, alive } = self.into;
        let views = views.chunks_mut(LANES * W::BYTES);
        let rows = views.zip(action_masks.chunks_mut(LANES * 4 * ACTIONS)).zip(alive.chunks_mut(LANES * 4));
        for (block, ((views, action_masks), alive)) in self.blocks.iter().zip(rows) {
            block.observe_players::<L, W>(lanes, self.view, PlayerRows { views, action_masks, alive });
        }
    }
}
