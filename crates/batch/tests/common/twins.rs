//! Many games, played by the rules one after another: what `Games` must equal.

use std::sync::Arc;

use pacman2_batch::{GameRng, Games, InstructionSet, StartPosition, StartSource, seed_of_game};
use pacman2_rules::{Action, BySeat, Maze, Seat, State, picture};

use super::seen::{Seen, is_large, is_small};
use super::starts::Chance;
use super::{action, difference, number};

/// The twins of some games.
pub(crate) struct Twins {
    pub(crate) games: Vec<Twin>,
    seed: u64,
    source: Option<Arc<dyn StartSource>>,
    /// As the last step left them.
    ended: Vec<(usize, Arc<Maze>, State)>,
    rewards: Vec<[i32; 4]>,
}

/// The twin of a game.
#[derive(Clone)]
pub(crate) struct Twin {
    pub(crate) maze: Arc<Maze>,
    pub(crate) state: State,
    generator: GameRng,
    begun: u64,
    actions: [u8; 4],
    before: State,
    start: State,
}

impl Twin {
    fn begin(place_seed: u64, number: u64, source: &dyn StartSource) -> Twin {
        let seed = seed_of_game(place_seed, number);
        let start = source.start(seed);
        Twin {
            maze: Arc::clone(start.maze()),
            state: *start.state(),
            generator: GameRng::new(seed),
            begun: number + 1,
            actions: [0; 4],
            before: *start.state(),
            start: *start.state(),
        }
    }

    /// Plays a turn; returns whether the game goes on.
    fn play(&mut self, seen: Option<&mut Seen>) -> bool {
        let Twin { maze, state, actions, before, .. } = self;
        let actions = BySeat(actions.map(action));
        let Some(seen) = seen else { return state.play(maze, &actions, &mut ()) };
        let goes_on = state.play(maze, &actions, &mut seen.watch(maze, before));
        let turns_left = maze.ruleset().turn_limit - state.turn;
        let small = is_small(maze, &self.start);
        seen.count("turn");
        for (what, is) in [
            ("turn limit", turns_left == 0 && state.alive.len() > 1),
            ("nobody survives", state.alive.is_empty()),
            ("more than 255 turns left", turns_left > 255),
            ("255 turns left, and there were more", turns_left == 255),
            ("small from the beginning", small),
            ("small in the beginning, large later", small && goes_on && is_large(maze, state)),
            ("large from the beginning", is_large(maze, &self.start)),
            ("living share a cell", state.alive.iter().any(|seat| state.standing_on(state.cells[seat]).len() > 1)),
            ("loser with negative strength", state.strength.0.iter().any(|&strength| strength < 0)),
        ] {
            if is {
                seen.count(what);
            }
        }
        goes_on
    }

    fn legal_actions(&self) -> [u16; 4] {
        Seat::ALL
            .map(|seat| self.state.legal_actions(&self.maze, seat).iter().fold(0, |bits, &action| bits | 1 << number(action)))
    }
}

impl Twins {
    pub(crate) fn new(count: usize, seed: u64, source: Arc<dyn StartSource>) -> Twins {
        let games = (0..count).map(|game| Twin::begin(seed_of_game(seed, game as u64), 0, &*source)).collect();
        Twins { games, seed, source: Some(source), ended: Vec::new(), rewards: vec![[0; 4]; count] }
    }

    pub(crate) fn without_new_games(self) -> Twins {
        Twins { source: None, ..self }
    }

    pub(crate) fn put(&mut self, game: usize, start: &StartPosition) {
        let twin = &mut self.games[game];
        twin.maze = Arc::clone(start.maze());
        (twin.state, twin.before, twin.start) = (*start.state(), *start.state(), *start.state());
    }

    /// Legal orders at random, each game's from its own generator.
    pub(crate) fn random_actions(&mut self) -> Vec<[u8; 4]> {
        let actions = |twin: &mut Twin| twin.generator.actions(&twin.maze, &twin.state).map(number).0;
        self.games.iter_mut().map(actions).collect()
    }

    /// Legal orders at random that no generator has drawn.
    pub(crate) fn orders_by(&self, chance: &mut Chance) -> Vec<[u8; 4]> {
        let mut action = |twin: &Twin, seat| match twin.state.legal_actions(&twin.maze, seat) {
            [] => Action::Stay,
            actions => chance.of(actions),
        };
        self.games.iter().map(|twin| Seat::ALL.map(|seat| number(action(twin, seat)))).collect()
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, actions: &[[u8; 4]], mut seen: Option<&mut Seen>) {
        self.ended.clear();
        for (game, (twin, &actions)) in self.games.iter_mut().zip(actions).enumerate() {
            (twin.actions, twin.before) = (actions, twin.state);
            self.rewards[game] = [0; 4];
            if twin.state.is_over(&twin.maze) {
                continue;
            }
            let goes_on = twin.play(seen.as_deref_mut());
            self.rewards[game] = Seat::ALL.map(|seat| twin.state.strength[seat] - twin.before.strength[seat]);
            if !goes_on {
                self.ended.push((game, Arc::clone(&twin.maze), twin.state));
                if let Some(source) = &self.source {
                    *twin = Twin::begin(seed_of_game(self.seed, game as u64), twin.begun, &**source);
                }
            }
        }
    }

    /// The games that ended in the last step.
    pub(crate) fn ended(&self) -> &[(usize, Arc<Maze>, State)] {
        &self.ended
    }

    /// Holds everything that the games say of themselves against the twins.
    pub(crate) fn compare(&self, games: &Games, rewards: &[[i32; 4]], at: &str) {
        let mut ended: Vec<_> = games.ended().collect();
        ended.sort_by_key(|ended| ended.game);
        for (ours, (game, maze, state)) in ended.iter().zip(&self.ended) {
            let same = ours.game == *game && Arc::ptr_eq(&ours.maze, maze) && ours.state == *state;
            assert!(same, "{at}: game {game} ended, and so did {}\n{}", ours.game, difference(maze, state, &ours.state));
        }
        assert_eq!(ended.len(), self.ended.len(), "{at}: how many games ended");
        let mut legal = vec![[u16::MAX; 4]; self.games.len()];
        games.legal_actions(&mut legal);
        for (game, twin) in self.games.iter().enumerate() {
            let found = games.state(game);
            let same = Arc::ptr_eq(games.maze(game), &twin.maze) && found == twin.state;
            assert!(same, "{}\n{}", self.tell(game, at), difference(&twin.maze, &twin.state, &found));
            assert_eq!(rewards[game], self.rewards[game], "{}\nrewards", self.tell(game, at));
            assert_eq!(legal[game], twin.legal_actions(), "{}\nlegal orders", self.tell(game, at));
        }
    }

    /// What is to be known of a game in which something went wrong.
    pub(crate) fn tell(&self, game: usize, at: &str) -> String {
        let Twin { maze, before, begun, actions, .. } = &self.games[game];
        let seed = self.seed;
        let before = picture::write(maze, before);
        format!("{at}, seed {seed}, place {game}, game {begun} there, orders {actions:?} in this position\n{before}")
    }
}

/// Some games and their twins, which are held against each other after each step.
pub(crate) struct Pair {
    pub(crate) games: Games,
    pub(crate) twins: Twins,
    rewards: Vec<[i32; 4]>,
    at: String,
    step: u64,
}

impl Pair {
    pub(crate) fn new(set: InstructionSet, count: usize, seed: u64, source: Arc<dyn StartSource>) -> Pair {
        let games = Games::new(set, count, seed, Arc::clone(&source));
        let pair =
            Pair { games, twins: Twins::new(count, seed, source), rewards: vec![[0; 4]; count], at: set.to_string(), step: 0 };
        pair.compare();
        pair
    }

    /// Holds the games against their twins.
    pub(crate) fn compare(&self) {
        self.twins.compare(&self.games, &self.rewards, &format!("{}, after {} steps", self.at, self.step));
    }

    pub(crate) fn without_new_games(self) -> Pair {
        Pair { games: self.games.without_new_games(), twins: self.twins.without_new_games(), ..self }
    }

    pub(crate) fn put(&mut self, game: usize, start: &Arc<StartPosition>) {
        self.games.put(game, Arc::clone(start));
        self.twins.put(game, start);
    }

    /// Orders at random, of which the games and their twins must draw the same.
    pub(crate) fn random_actions(&mut self) -> Vec<[u8; 4]> {
        let mut actions = vec![[255; 4]; self.games.count()];
        self.games.random_actions(&mut actions);
        for (game, (actions, expected)) in actions.iter().zip(self.twins.random_actions()).enumerate() {
            let at = format!("{}, after {} steps", self.at, self.step);
            assert_eq!(*actions, expected, "{}\norders at random", self.twins.tell(game, &at));
        }
        actions
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, actions: &[[u8; 4]], seen: Option<&mut Seen>) {
        self.step += 1;
        // What was in here before must not matter.
        self.rewards.fill([-77; 4]);
        self.games.step(actions, &mut self.rewards);
        self.twins.step(actions, seen);
        self.compare();
    }

    /// Plays so many turns at random.
    pub(crate) fn steps_at_random(&mut self, steps: u64) {
        for _ in 0..steps {
            let actions = self.random_actions();
            self.step(&actions, None);
        }
    }
}
