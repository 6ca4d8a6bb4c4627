//! The slots of games: beginning the next game on request, and saving and restoring a slot.

use std::sync::Arc;

use super::{Games, StartPosition};
use crate::lanes::LANES;
use crate::rng::GameRng;

/// What the future of a slot depends on, beside the maze and the position of its game. All values are valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotState {
    /// The seed of the slot, from which its games have theirs.
    pub seed: u64,
    /// How many games have begun in the slot: the number of the next one.
    pub games_begun: u64,
    /// The state of the current game's random number generator. If all of it is 0, all draws give the first item.
    pub rng: [u32; 4],
}

impl Games {
    /// Returns the same games, of which each stays as it is when it is over, until [`Games::begin`] begins the next one in its
    /// slot. Until then actions for it have no effect and its rewards are 0. [`Games::ended`] reports it once.
    #[must_use = "the games are returned"]
    pub fn keep_ended(self) -> Games {
        Games { keep_ended: true, ..self }
    }

    /// Begins the next game in a slot, whether the current one is over or not. [`Games::ended`] does not report the latter.
    ///
    /// # Panics
    ///
    /// If there is no such game, if there are [no new games](Games::without_new_games), or if
    /// [`StartSource::start`](super::StartSource::start) panics.
    pub fn begin(&mut self, game: usize) {
        self.assert_game(game);
        let source = self.source.as_deref().expect("games have a source, unless they are without new games");
        let block = &mut self.blocks[game / LANES];
        block.next_start(game % LANES, source);
        block.fill(game % LANES);
    }

    /// Returns what the future of a slot depends on, beside [`Games::maze`] and [`Games::state`].
    ///
    /// # Panics
    ///
    /// If there is no such game.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pacman2_batch::{Games, InstructionSet, StartPosition};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 90/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let starts = Arc::new(vec![Arc::new(StartPosition::new(maze, state))]);
    /// let mut games = Games::new(InstructionSet::best(), 3, 1, starts.clone());
    /// // Copy slot 0 to slot 2 of other games. Both then draw the same actions.
    /// let mut others = Games::new(InstructionSet::best(), 3, 9, starts);
    /// let start = StartPosition::new(games.maze(0).clone(), games.state(0));
    /// others.set_slot(2, games.slot(0), Arc::new(start));
    /// let (mut actions, mut same) = ([[0; 4]; 3], [[0; 4]; 3]);
    /// games.random_actions(&mut actions);
    /// others.random_actions(&mut same);
    /// assert_eq!(actions[0], same[2]);
    /// ```
    pub fn slot(&self, game: usize) -> SlotState {
        let slot = self.slot_at(game);
        let (block, lane) = (&self.blocks[game / LANES], game % LANES);
        let rng = if block.unseeded >> lane & 1 != 0 { block.fresh_rng(lane) } else { block.rngs.get(lane) };
        SlotState { seed: slot.seed, games_begun: slot.games_begun, rng: rng.words() }
    }

    /// Puts a saved game into a slot. `now` is its maze and its position at the time of saving.
    ///
    /// If games come from the same source, the game goes on, and others follow, as in the slot where it was saved.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn set_slot(&mut self, game: usize, saved: SlotState, now: Arc<StartPosition>) {
        self.put(game, now);
        let (block, lane) = (&mut self.blocks[game / LANES], game % LANES);
        block.rngs.put(lane, &GameRng::from_words(saved.rng));
        block.unseeded &= !(1 << lane);
        let slot = &mut block.slots[lane];
        (slot.seed, slot.games_begun) = (saved.seed, saved.games_begun);
    }
}
