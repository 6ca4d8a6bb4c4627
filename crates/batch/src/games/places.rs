//! The places of games: the next game when somebody asks for it, and a place saved and set again.

use std::sync::Arc;

use super::{Games, StartPosition};
use crate::lanes::LANES;
use crate::rng::GameRng;

/// All that the future of a place depends on beside the map and the position of its game: which games come after this one,
/// and the chance of this one. Any numbers are possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotState {
    /// The seed of the place, from which its games have theirs.
    pub seed: u64,
    /// How many games have begun here; so the next one's number.
    pub begun: u64,
    /// The state of the game's own generator of chance. If all of it is 0, all that is drawn is the first there is.
    pub chance: [u32; 4],
}

impl Games {
    /// The same games, of which each stays as it is when it is over, until [`Games::begin`] is asked for the next one in its
    /// place: orders for it change nothing, its rewards are 0, and [`Games::ended`] tells of it once.
    pub fn keep_ended(self) -> Games {
        Games { keeps_ended: true, ..self }
    }

    /// Begins the next game in the place of this one, which may be over or be cut short. [`Games::ended`] does not tell of it.
    ///
    /// # Panics
    ///
    /// If there is no such game, if there are [no new games](Games::without_new_games), or if the [source](super::Source::start)
    /// does.
    pub fn begin(&mut self, game: usize) {
        assert!(game < self.count, "there is no game {game}; there are {}", self.count);
        let source = self.source.as_deref().expect("there are no new games");
        self.blocks[game / LANES].begin(game % LANES, source);
    }

    /// What the future of a place depends on beside [`Games::maze`] and [`Games::state`].
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn place(&self, game: usize) -> SlotState {
        let place = self.place_of(game);
        let chance = self.blocks[game / LANES].chance.generator(game % LANES).words();
        SlotState { seed: place.seed, begun: place.begun, chance }
    }

    /// Puts a saved game, of this place or another, into the place of a game: `now` is its map and its position when it was
    /// saved. It goes on, and others come after it, as they did where it was saved, if games come from the same source.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn set_place(&mut self, game: usize, saved: SlotState, now: Arc<StartPosition>) {
        self.put(game, now);
        let (block, lane) = (&mut self.blocks[game / LANES], game % LANES);
        block.chance.put(lane, &GameRng::from_words(saved.chance));
        let place = &mut block.places[lane];
        (place.seed, place.begun) = (saved.seed, saved.begun);
    }
}
