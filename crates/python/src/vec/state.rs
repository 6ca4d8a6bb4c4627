//! The games of a [`VecEngine`](super::VecEngine) and the outputs of their steps, independent of Python.

use std::sync::Arc;

use pacman2_batch::observe::View;
use pacman2_batch::{Games, InstructionSet, PlayerRows, ShownPlanes, SlotState, StartPosition, seed_of_game};
use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_rules::{Maze, Seat, State};
use pyo3::prelude::*;

use super::maps::MapSource;
use super::reward::{GameEnd, Reward, shares};
use super::threads::Threads;
use crate::action_features;
use crate::convert::NO_ACTION;
use crate::known_mazes::{KnownMaze, TablesOfMazes};
use crate::numbers::Numbers;
use crate::observation::{self, Content, ObservationFormat, Past, Position, Shown};
use crate::options::{impl_named, named};

/// When the next game of a slot starts: the modes of Gymnasium's `AutoresetMode`, with its values as names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Autoreset {
    NextStep,
    SameStep,
    Disabled,
}

impl Autoreset {
    pub(crate) const ALL: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Autoreset::NextStep => "NextStep",
            Autoreset::SameStep => "SameStep",
            Autoreset::Disabled => "Disabled",
        }
    }
}

/// The output arrays of a step: four rows per game, one for each seat. Booleans are bytes 0 and 1.
pub(super) struct StepBuffers<'a> {
    pub(super) observations: Numbers<'a>,
    pub(super) rewards: &'a mut [f32],
    pub(super) terminations: &'a mut [u8],
    pub(super) truncations: &'a mut [u8],
    pub(super) action_mask: &'a mut [u8],
    pub(super) alive: &'a mut [u8],
    pub(super) ended: &'a mut [u8],
    pub(super) final_score: &'a mut [f32],
    pub(super) rank: &'a mut [u8],
    /// Only with [`Autoreset::SameStep`].
    pub(super) final_observations: Option<Numbers<'a>>,
}

impl StepBuffers<'_> {
    /// Clears what a turn has written for a game.
    fn clear(&mut self, game: usize) {
        for bytes in [&mut *self.terminations, self.truncations, self.ended, self.rank] {
            rows_mut(bytes, game).fill(0);
        }
        for floats in [&mut *self.rewards, self.final_score] {
            rows_mut(floats, game).fill(0.0);
        }
    }
}

/// The observation, the reward, the autoreset mode and the instruction set.
#[derive(Clone)]
pub(super) struct VecConfig {
    pub(super) format: ObservationFormat,
    pub(super) reward: Reward,
    pub(super) autoreset: Autoreset,
    pub(super) instruction_set: InstructionSet,
}

/// Seeds for a reset.
pub(super) enum Seeds {
    /// Each slot starts its next game.
    None,
    /// One seed for all games.
    One(u64),
    /// A seed for each game, or its next game.
    Each(Vec<Option<u64>>),
}

/// The games and their bookkeeping.
pub(super) struct VecState {
    pub(super) config: VecConfig,
    pub(super) maps: Arc<MapSource>,
    pub(super) games: Games,
    /// The games that are over and wait for a reset.
    pub(super) over: Vec<usize>,
    /// Whether the games are new, so that a reset without a seed keeps them.
    pub(super) untouched: bool,
    /// The number of games that ended in the last step.
    pub(super) num_ended: usize,
    gains: Vec<[i32; 4]>,
    strength: Vec<[i32; 4]>,
    shares: Vec<[f32; 4]>,
    /// The last turns of each game, as many as are observed.
    past: Vec<[u8; 4]>,
    /// The bytes of all views, if observations are made of them.
    views: Vec<u8>,
    /// What the observations show, if they are planes.
    shown: ShownPlanes,
    tables: TablesOfMazes,
}

impl VecState {
    /// Creates `count` games from a seed.
    pub(super) fn new(config: VecConfig, count: usize, seed: u64, maps: MapSource) -> VecState {
        let maps = Arc::new(maps);
        let games = Games::new(config.instruction_set, count, seed, maps.clone()).keep_ended();
        let mut world = VecState {
            maps,
            games,
            over: Vec::new(),
            untouched: true,
            num_ended: 0,
            gains: vec![[0; 4]; count],
            strength: vec![[0; 4]; count],
            shares: vec![[0.0; 4]; count],
            past: observation::no_past(count * config.format.history),
            views: Vec::new(),
            shown: ShownPlanes::default(),
            tables: TablesOfMazes::default(),
            config,
        };
        (0..count).for_each(|game| world.record_strength(game));
        world
    }

    /// Resets all games, or those of the mask.
    pub(super) fn reset(&mut self, seeds: &Seeds, mask: Option<&[bool]>) {
        let count = self.games.count();
        match seeds {
            Seeds::One(seed) if mask.is_none() => return self.begin_all_anew(*seed),
            // The pool of maps is replaced, too, so that the future depends on these seeds alone.
            Seeds::Each(seeds) if mask.is_none() && !seeds.contains(&None) => {
                seeds.iter().take(1).flatten().for_each(|&first| self.begin_all_anew(first));
            }
            _ => {}
        }
        for game in (0..count).filter(|&game| mask.is_none_or(|mask| mask[game])) {
            let seed = match seeds {
                Seeds::None => None,
                Seeds::One(seed) => Some(seed_of_game(*seed, game as u64)),
                Seeds::Each(seeds) => seeds[game],
            };
            match seed {
                Some(seed) => self.begin_anew(game, seed),
                None if self.untouched => {}
                None => self.begin(game),
            }
        }
        self.untouched = false;
        self.find_over();
    }

    /// Restarts all games from a seed.
    fn begin_all_anew(&mut self, seed: u64) {
        let maps = self.maps.reseeded(seed);
        let anew = VecState::new(self.config.clone(), self.games.count(), seed, maps);
        *self = VecState { untouched: false, ..anew };
    }

    /// Restarts a slot with the first game of a seed.
    fn begin_anew(&mut self, game: usize, seed: u64) {
        let now = StartPosition::new(Arc::clone(self.games.maze(game)), self.games.state(game));
        let place = SlotState { seed, games_begun: 0, ..self.games.slot(game) };
        self.games.set_slot(game, place, Arc::new(now));
        self.begin(game);
    }

    /// Starts the next game of a slot.
    fn begin(&mut self, game: usize) {
        self.games.begin(game);
        self.record_strength(game);
        self.past_of(game).fill([NO_ACTION; 4]);
    }

    /// Replaces a game by another one. The random state and the seeds of the slot do not change.
    pub(super) fn put(&mut self, game: usize, other: &pacman2_rules::Game) {
        self.untouched = false;
        self.replace(game, other);
        self.find_over();
    }

    /// Takes over the position of another game, and its past.
    fn replace(&mut self, game: usize, other: &pacman2_rules::Game) {
        self.games.put(game, Arc::new(StartPosition::new(Arc::clone(other.maze()), *other.state())));
        self.record_strength(game);
        let past = observation::past_of(other, self.config.format.history);
        self.past_of(game).copy_from_slice(&past);
    }

    /// Restores saved games.
    pub(super) fn restored(
        config: VecConfig,
        maps: MapSource,
        untouched: bool,
        places: Vec<(SlotState, StartPosition, Vec<[u8; 4]>)>,
    ) -> VecState {
        let mut world = VecState { untouched, ..VecState::new(config, places.len(), 0, maps) };
        for (game, (place, now, past)) in places.into_iter().enumerate() {
            world.games.set_slot(game, place, Arc::new(now));
            world.record_strength(game);
            world.past_of(game).iter_mut().zip(past).for_each(|(turn, saved)| *turn = saved);
        }
        world.find_over();
        world
    }

    /// Plays one turn of all games and writes the outputs.
    pub(super) fn step(&mut self, actions: &[[u8; 4]], threads: &Threads, outputs: &mut StepBuffers<'_>) {
        self.untouched = false;
        self.record_actions(actions);
        threads.step(&mut self.games, actions, &mut self.gains);
        self.add_gains();
        outputs.terminations.fill(0);
        outputs.truncations.fill(0);
        outputs.ended.fill(0);
        outputs.final_score.fill(0.0);
        outputs.rank.fill(0);
        self.reward_each_turn(outputs.rewards);
        match self.config.autoreset {
            // With `SameStep`, only a game set by `put` can be over here.
            Autoreset::NextStep | Autoreset::SameStep => self.begin_all_over(),
            Autoreset::Disabled => self.over.iter().for_each(|&game| rows_mut(outputs.terminations, game).fill(1)),
        }
        let seen = self.over.len();
        self.over.extend(self.games.games_ended());
        self.num_ended = self.over.len() - seen;
        for place in seen..self.over.len() {
            self.write_end(self.over[place], outputs);
        }
        if self.config.autoreset == Autoreset::SameStep {
            self.begin_at_once(outputs);
        }
        self.observe(threads, outputs);
    }

    /// Replaces a game that goes on by its end, as if it had ended with the last turn.
    pub(super) fn finish(&mut self, game: usize, end: &pacman2_rules::Game, outputs: &mut StepBuffers<'_>) {
        self.replace(game, end);
        self.over.push(game);
        self.num_ended += 1;
        self.write_end(game, outputs);
    }

    /// Puts a game back to a position that is not over, as if the last turn had not been played there.
    pub(super) fn hold(&mut self, game: usize, position: &pacman2_rules::Game, outputs: &mut StepBuffers<'_>) {
        self.replace(game, position);
        self.over.retain(|&over| over != game);
        outputs.clear(game);
        rows_mut(outputs.terminations, game).fill(1);
    }

    /// Starts the next game of a slot, without a reward for the last turn.
    pub(super) fn begin_next(&mut self, game: usize, outputs: &mut StepBuffers<'_>) {
        self.begin(game);
        self.over.retain(|&over| over != game);
        outputs.clear(game);
    }

    /// Writes the outputs without a turn, as after a reset.
    pub(super) fn write_current(&mut self, threads: &Threads, outputs: &mut StepBuffers<'_>) {
        self.num_ended = 0;
        outputs.rewards.fill(0.0);
        outputs.terminations.fill(0);
        outputs.truncations.fill(0);
        outputs.ended.fill(0);
        outputs.final_score.fill(0.0);
        outputs.rank.fill(0);
        self.over.iter().for_each(|&game| rows_mut(outputs.terminations, game).fill(1));
        self.shown = ShownPlanes::default();
        self.observe(threads, outputs);
    }

    /// Draws uniformly random legal actions.
    pub(super) fn random_actions(&mut self, actions: &mut [[u8; 4]]) {
        self.games.random_actions(actions);
        // In a game that is over, living players draw, too, but only stay is legal.
        self.over.iter().for_each(|&game| actions[game] = [0; 4]);
    }

    /// Returns the maze and the position of a game.
    pub(super) fn position(&self, game: usize) -> (&Arc<Maze>, State) {
        (self.games.maze(game), self.games.state(game))
    }

    /// Returns the last turns of a game, the latest first.
    pub(super) fn past(&self, game: usize) -> &Past {
        let turns = self.config.format.history;
        &self.past[game * turns..][..turns]
    }

    fn past_of(&mut self, game: usize) -> &mut Past {
        let turns = self.config.format.history;
        &mut self.past[game * turns..][..turns]
    }

    /// Adds the actions of a turn to the past of the games that are not over.
    fn record_actions(&mut self, actions: &[[u8; 4]]) {
        let turns = self.config.format.history;
        if turns == 0 {
            return;
        }
        let mut alive = vec![[0; 4]; actions.len()];
        self.games.alive(alive.as_flattened_mut());
        self.over.iter().for_each(|&game| alive[game] = [0; 4]);
        for ((past, actions), alive) in self.past.chunks_exact_mut(turns).zip(actions).zip(&alive) {
            if *alive != [0; 4] {
                past.rotate_right(1);
                past[0] = std::array::from_fn(|seat| if alive[seat] != 0 { actions[seat] } else { NO_ACTION });
            }
        }
    }

    /// Returns the distance tables of the maze of a game.
    pub(super) fn tables(&mut self, game: usize) -> Arc<DistanceTables> {
        Arc::clone(self.tables.of(self.games.maze(game), self.games.count()))
    }

    /// Writes observations, masks and living players.
    pub(super) fn observe(&mut self, threads: &Threads, outputs: &mut StepBuffers<'_>) {
        let StepBuffers { observations, action_mask, alive, .. } = outputs;
        match (self.config.format.plain_view(), observations) {
            (Some(View::Planes), Numbers::Bytes(views)) => {
                threads.update_planes(&self.games, &mut self.shown, views);
                self.games.action_masks(action_mask);
                self.games.alive(alive);
            }
            (Some(view), Numbers::Bytes(views)) => {
                threads.observe(&self.games, view, PlayerRows { views, action_masks: action_mask, alive });
            }
            (_, into) => {
                let into = into.part(0, 4 * self.games.count() * self.config.format.len());
                self.write_formatted(threads, into, action_mask, alive);
            }
        }
    }

    /// Writes observations that are not simply the bytes of a view, masks and living players.
    fn write_formatted(&mut self, threads: &Threads, into: Numbers<'_>, action_masks: &mut [u8], alive: &mut [u8]) {
        let format = self.config.format;
        let (count, row) = (self.games.count(), format.len());
        let each = into.into_chunks(4 * row).enumerate();
        if !matches!(format.content, Content::View(_)) {
            self.games.action_masks(action_masks);
            self.games.alive(alive);
        }
        match format.content {
            Content::View(view) => {
                self.views.resize(4 * count * view.len(), 0);
                threads.observe(&self.games, view, PlayerRows { views: &mut self.views, action_masks, alive });
                let this = &*self;
                threads.for_each_in_runs(each.zip(this.views.chunks(4 * view.len())), |((game, into), seen)| {
                    let maze = this.games.maze(game);
                    let sides = [maze.height().into(), maze.width().into()];
                    for ((seat, into), seen) in Seat::ALL.into_iter().zip(into.into_chunks(row)).zip(seen.chunks(view.len())) {
                        format.write(&Shown::View(seen), sides, seat, this.past(game), into);
                    }
                });
            }
            Content::Features => {
                let tables: Vec<_> = (0..count).map(|game| self.tables(game)).collect();
                let this = &*self;
                threads.for_each_in_runs(each.zip(tables), |((game, into), tables)| {
                    let (maze, state) = this.position(game);
                    let inputs = NetInputs::new(&tables, maze, &state);
                    for (seat, into) in Seat::ALL.into_iter().zip(into.into_chunks(row)) {
                        format.write(&Shown::Inputs(&inputs), [0; 2], seat, this.past(game), into);
                    }
                });
            }
            Content::ActionFeatures => {
                let tables: Vec<_> = (0..count).map(|game| self.tables(game)).collect();
                let this = &*self;
                threads.for_each_in_runs(each.zip(tables), |((game, into), tables)| {
                    let (maze, state) = this.position(game);
                    for (seat, into) in Seat::ALL.into_iter().zip(into.into_chunks(row)) {
                        action_features::write(&tables, maze, &state, seat, into);
                    }
                });
            }
        }
    }

    /// Finds the games that are over.
    fn find_over(&mut self) {
        let is_over = |game: &usize| {
            let (maze, state) = self.position(*game);
            state.is_over(maze)
        };
        self.over = (0..self.games.count()).filter(is_over).collect();
    }

    /// Records the strengths at the start of a turn.
    fn record_strength(&mut self, game: usize) {
        self.strength[game] = self.games.strength(game).0;
        self.shares[game] = shares(&self.strength[game]);
    }

    fn add_gains(&mut self) {
        let pairs = self.strength.as_flattened_mut().iter_mut().zip(self.gains.as_flattened());
        pairs.for_each(|(strength, gain)| *strength += gain);
    }

    fn reward_each_turn(&mut self, rewards: &mut [f32]) {
        if self.config.reward != Reward::Share {
            return rewards.fill(0.0);
        }
        let (rewards, _) = rewards.as_chunks_mut::<4>();
        for ((rewards, before), strength) in rewards.iter_mut().zip(&mut self.shares).zip(&self.strength) {
            let after = shares(strength);
            *rewards = std::array::from_fn(|seat| after[seat] - before[seat]);
            *before = after;
        }
    }

    /// Starts the next game in every slot whose game is over.
    fn begin_all_over(&mut self) {
        let mut over = std::mem::take(&mut self.over);
        over.drain(..).for_each(|game| self.begin(game));
        // Keeps the allocation.
        self.over = over;
    }

    fn write_end(&self, game: usize, outputs: &mut StepBuffers<'_>) {
        let end = GameEnd::from_strength(self.strength[game]);
        rows_mut(outputs.terminations, game).fill(1);
        rows_mut(outputs.ended, game).fill(1);
        rows_mut(outputs.final_score, game).copy_from_slice(&end.points);
        rows_mut(outputs.rank, game).copy_from_slice(&end.ranks);
        let rewards = rows_mut(outputs.rewards, game).iter_mut().zip(self.config.reward.at_end(&end));
        rewards.for_each(|(reward, last)| *reward += last);
    }

    /// Writes the final observations of the games that ended in this step and starts the next games.
    fn begin_at_once(&mut self, outputs: &mut StepBuffers<'_>) {
        let format = self.config.format;
        let row = format.len();
        let Some(into) = &mut outputs.final_observations else { return };
        for ended in self.games.ended() {
            let known = KnownMaze::default();
            let position = Position { maze: &ended.maze, state: &ended.state, known: &known, past: self.past(ended.game) };
            for seat in Seat::ALL {
                position.observe(&format, seat, into.part((4 * ended.game + seat.index()) * row, row));
            }
        }
        self.begin_all_over();
    }
}

/// Returns the four rows of a game.
fn rows_mut<T>(of_all: &mut [T], game: usize) -> &mut [T] {
    &mut of_all[4 * game..][..4]
}

impl_named!(Autoreset);

/// Converts the argument `autoreset_mode`.
pub(crate) fn autoreset_mode(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Autoreset>("autoreset_mode", given).map(Autoreset::name)
}
