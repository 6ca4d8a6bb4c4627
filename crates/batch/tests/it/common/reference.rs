//! Many games, played by `pacman2_rules` one after another: what `Games` must equal.

use std::sync::Arc;

use pacman2_batch::{GameRng, Games, InstructionSet, StartPosition, StartSource, seed_of_game};
use pacman2_rules::{Action, BySeat, Maze, Seat, State, picture};

use super::coverage::{Coverage, is_large, is_small};
use super::positions::TestRng;
use super::{action, difference, number};

/// The reference of some games.
pub(crate) struct ReferenceGames {
    pub(crate) games: Vec<ReferenceGame>,
    seed: u64,
    source: Option<Arc<dyn StartSource>>,
    /// The games that ended in the last step.
    ended: Vec<(usize, Arc<Maze>, State)>,
    rewards: Vec<[i32; 4]>,
}

/// The reference of one game.
#[derive(Clone)]
pub(crate) struct ReferenceGame {
    pub(crate) maze: Arc<Maze>,
    pub(crate) state: State,
    rng: GameRng,
    games_begun: u64,
    actions: [u8; 4],
    before: State,
    start: State,
}

impl ReferenceGame {
    fn begin(slot_seed: u64, number: u64, source: &dyn StartSource) -> ReferenceGame {
        let seed = seed_of_game(slot_seed, number);
        let start = source.start(seed);
        ReferenceGame {
            maze: Arc::clone(start.maze()),
            state: *start.state(),
            rng: GameRng::new(seed),
            games_begun: number + 1,
            actions: [0; 4],
            before: *start.state(),
            start: *start.state(),
        }
    }

    /// Plays a turn, and returns whether the game goes on.
    fn play(&mut self, coverage: Option<&mut Coverage>) -> bool {
        let ReferenceGame { maze, state, actions, before, .. } = self;
        let actions = BySeat(actions.map(action));
        let Some(coverage) = coverage else { return state.play(maze, &actions, &mut ()) };
        let goes_on = state.play(maze, &actions, &mut coverage.watch(maze, before));
        let turns_left = maze.ruleset().turn_limit - state.turn;
        let small = is_small(maze, &self.start);
        coverage.count("turn");
        for (what, is) in [
            ("turn limit", turns_left == 0 && state.alive.len() > 1),
            ("no player survives", state.alive.is_empty()),
            ("more than 255 turns left", turns_left > 255),
            ("255 turns left, and there were more", turns_left == 255),
            ("small from the beginning", small),
            ("small in the beginning, large later", small && goes_on && is_large(maze, state)),
            ("large from the beginning", is_large(maze, &self.start)),
            ("living share a cell", state.alive.iter().any(|seat| state.standing_on(state.cells[seat]).len() > 1)),
            ("loser with negative strength", state.strength.0.iter().any(|&strength| strength < 0)),
        ] {
            if is {
                coverage.count(what);
            }
        }
        goes_on
    }
}

impl ReferenceGames {
    pub(crate) fn new(count: usize, seed: u64, source: Arc<dyn StartSource>) -> ReferenceGames {
        let games = (0..count).map(|game| ReferenceGame::begin(seed_of_game(seed, game as u64), 0, &*source)).collect();
        ReferenceGames { games, seed, source: Some(source), ended: Vec::new(), rewards: vec![[0; 4]; count] }
    }

    pub(crate) fn without_new_games(self) -> ReferenceGames {
        ReferenceGames { source: None, ..self }
    }

    pub(crate) fn put(&mut self, game: usize, start: &StartPosition) {
        let reference = &mut self.games[game];
        reference.maze = Arc::clone(start.maze());
        (reference.state, reference.before, reference.start) = (*start.state(), *start.state(), *start.state());
    }

    /// Draws legal actions, for each game from its own generator.
    pub(crate) fn random_actions(&mut self) -> Vec<[u8; 4]> {
        let actions = |reference: &mut ReferenceGame| reference.rng.actions(&reference.maze, &reference.state).map(number).0;
        self.games.iter_mut().map(actions).collect()
    }

    /// Draws legal actions from the random numbers of the test.
    pub(crate) fn random_legal_actions(&self, rng: &mut TestRng) -> Vec<[u8; 4]> {
        let mut action = |reference: &ReferenceGame, seat| match reference.state.legal_actions(&reference.maze, seat) {
            [] => Action::Stay,
            actions => rng.of(actions),
        };
        self.games.iter().map(|reference| Seat::ALL.map(|seat| number(action(reference, seat)))).collect()
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, actions: &[[u8; 4]], mut coverage: Option<&mut Coverage>) {
        self.ended.clear();
        for (game, (reference, &actions)) in self.games.iter_mut().zip(actions).enumerate() {
            (reference.actions, reference.before) = (actions, reference.state);
            self.rewards[game] = [0; 4];
            if reference.state.is_over(&reference.maze) {
                continue;
            }
            let goes_on = reference.play(coverage.as_deref_mut());
            self.rewards[game] = Seat::ALL.map(|seat| reference.state.strength[seat] - reference.before.strength[seat]);
            if !goes_on {
                self.ended.push((game, Arc::clone(&reference.maze), reference.state));
                if let Some(source) = &self.source {
                    *reference = ReferenceGame::begin(seed_of_game(self.seed, game as u64), reference.games_begun, &**source);
                }
            }
        }
    }

    /// Compares everything that the games report with the reference.
    pub(crate) fn compare(&self, games: &Games, rewards: &[[i32; 4]], at: &str) {
        let mut ended: Vec<_> = games.ended().collect();
        ended.sort_by_key(|ended| ended.game);
        for (ours, (game, maze, state)) in ended.iter().zip(&self.ended) {
            let same = ours.game == *game && Arc::ptr_eq(&ours.maze, maze) && ours.state == *state;
            assert!(same, "{at}: game {game} ended, and so did {}\n{}", ours.game, difference(maze, state, &ours.state));
        }
        assert_eq!(ended.len(), self.ended.len(), "{at}: how many games ended");
        for (game, reference) in self.games.iter().enumerate() {
            let found = games.state(game);
            let same = Arc::ptr_eq(games.maze(game), &reference.maze) && found == reference.state;
            assert!(same, "{}\n{}", self.context(game, at), difference(&reference.maze, &reference.state, &found));
            assert_eq!(rewards[game], self.rewards[game], "{}\nrewards", self.context(game, at));
        }
    }

    /// Describes a game for the message of a failed assertion.
    pub(crate) fn context(&self, game: usize, at: &str) -> String {
        let ReferenceGame { maze, before, games_begun, actions, .. } = &self.games[game];
        let seed = self.seed;
        let before = picture::write(maze, before);
        format!("{at}, seed {seed}, slot {game}, game {games_begun} there, actions {actions:?} in this position\n{before}")
    }
}

/// Some games and their reference, compared after each step.
pub(crate) struct ComparedGames {
    pub(crate) games: Games,
    pub(crate) reference_games: ReferenceGames,
    rewards: Vec<[i32; 4]>,
    at: String,
    step: u64,
}

impl ComparedGames {
    pub(crate) fn new(set: InstructionSet, count: usize, seed: u64, source: Arc<dyn StartSource>) -> ComparedGames {
        let games = Games::new(set, count, seed, Arc::clone(&source));
        let compared = ComparedGames {
            games,
            reference_games: ReferenceGames::new(count, seed, source),
            rewards: vec![[0; 4]; count],
            at: set.to_string(),
            step: 0,
        };
        compared.compare();
        compared
    }

    /// Compares the games with their reference.
    pub(crate) fn compare(&self) {
        self.reference_games.compare(&self.games, &self.rewards, &format!("{}, after {} steps", self.at, self.step));
    }

    pub(crate) fn without_new_games(self) -> ComparedGames {
        ComparedGames { games: self.games.without_new_games(), reference_games: self.reference_games.without_new_games(), ..self }
    }

    pub(crate) fn put(&mut self, game: usize, start: &Arc<StartPosition>) {
        self.games.put(game, Arc::clone(start));
        self.reference_games.put(game, start);
    }

    /// Draws random actions, and asserts that the games and their reference draw the same.
    pub(crate) fn random_actions(&mut self) -> Vec<[u8; 4]> {
        let mut actions = vec![[255; 4]; self.games.count()];
        self.games.random_actions(&mut actions);
        for (game, (actions, expected)) in actions.iter().zip(self.reference_games.random_actions()).enumerate() {
            let at = format!("{}, after {} steps", self.at, self.step);
            assert_eq!(*actions, expected, "{}\nrandom actions", self.reference_games.context(game, &at));
        }
        actions
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, actions: &[[u8; 4]], coverage: Option<&mut Coverage>) {
        self.step += 1;
        // The old content must not matter.
        self.rewards.fill([-77; 4]);
        self.games.step(actions, &mut self.rewards);
        self.reference_games.step(actions, coverage);
        self.compare();
    }

    /// Plays turns with random actions.
    pub(crate) fn play_randomly(&mut self, steps: u64) {
        for _ in 0..steps {
            let actions = self.random_actions();
            self.step(&actions, None);
        }
    }
}
