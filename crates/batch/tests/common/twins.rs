//! Many games, played by the rules one after another: what `Games` must equal.

use std::sync::Arc;

use batch::{Games, Generator, InstructionSet, Source, Start, seed_of_game};
use rules::{Arena, BySeat, Order, Seat, State, picture};

use super::seen::{Seen, is_large, is_small};
use super::starts::Chance;
use super::{difference, number, order};

/// The twins of some games.
pub(crate) struct Twins {
    pub(crate) games: Vec<Twin>,
    seed: u64,
    source: Option<Arc<dyn Source>>,
    /// As the last step left them.
    ended: Vec<(usize, Arc<Arena>, State)>,
    rewards: Vec<[i32; 4]>,
}

/// The twin of a game.
#[derive(Clone)]
pub(crate) struct Twin {
    pub(crate) arena: Arc<Arena>,
    pub(crate) state: State,
    generator: Generator,
    begun: u64,
    orders: [u8; 4],
    before: State,
    start: State,
}

impl Twin {
    fn begin(place_seed: u64, number: u64, source: &dyn Source) -> Twin {
        let seed = seed_of_game(place_seed, number);
        let start = source.start(seed);
        Twin {
            arena: Arc::clone(start.arena()),
            state: *start.state(),
            generator: Generator::new(seed),
            begun: number + 1,
            orders: [0; 4],
            before: *start.state(),
            start: *start.state(),
        }
    }

    /// Plays a turn; returns whether the game goes on.
    fn play(&mut self, seen: Option<&mut Seen>) -> bool {
        let Twin { arena, state, orders, before, .. } = self;
        let orders = BySeat(orders.map(order));
        let Some(seen) = seen else { return state.play(arena, &orders, &mut ()) };
        let goes_on = state.play(arena, &orders, &mut seen.watch(arena, before));
        let turns_left = arena.settings().turn_limit - state.turn;
        let small = is_small(arena, &self.start);
        seen.count("turn");
        for (what, is) in [
            ("turn limit", turns_left == 0 && state.alive.len() > 1),
            ("nobody survives", state.alive.is_empty()),
            ("more than 255 turns left", turns_left > 255),
            ("255 turns left, and there were more", turns_left == 255),
            ("small from the beginning", small),
            ("small in the beginning, large later", small && goes_on && is_large(arena, state)),
            ("large from the beginning", is_large(arena, &self.start)),
            ("living share a cell", state.alive.iter().any(|seat| state.standing_on(state.cells[seat]).len() > 1)),
            ("loser with negative strength", state.strength.0.iter().any(|&strength| strength < 0)),
        ] {
            if is {
                seen.count(what);
            }
        }
        goes_on
    }

    fn legal_orders(&self) -> [u16; 4] {
        Seat::ALL.map(|seat| self.state.legal_orders(&self.arena, seat).iter().fold(0, |bits, &order| bits | 1 << number(order)))
    }
}

impl Twins {
    pub(crate) fn new(count: usize, seed: u64, source: Arc<dyn Source>) -> Twins {
        let games = (0..count).map(|game| Twin::begin(seed_of_game(seed, game as u64), 0, &*source)).collect();
        Twins { games, seed, source: Some(source), ended: Vec::new(), rewards: vec![[0; 4]; count] }
    }

    pub(crate) fn without_new_games(self) -> Twins {
        Twins { source: None, ..self }
    }

    pub(crate) fn put(&mut self, game: usize, start: &Start) {
        let twin = &mut self.games[game];
        twin.arena = Arc::clone(start.arena());
        (twin.state, twin.before, twin.start) = (*start.state(), *start.state(), *start.state());
    }

    /// Legal orders at random, each game's from its own generator.
    pub(crate) fn orders_at_random(&mut self) -> Vec<[u8; 4]> {
        let orders = |twin: &mut Twin| twin.generator.orders(&twin.arena, &twin.state).map(number).0;
        self.games.iter_mut().map(orders).collect()
    }

    /// Legal orders at random that no generator has drawn.
    pub(crate) fn orders_by(&self, chance: &mut Chance) -> Vec<[u8; 4]> {
        let mut order = |twin: &Twin, seat| match twin.state.legal_orders(&twin.arena, seat) {
            [] => Order::Stay,
            orders => chance.of(orders),
        };
        self.games.iter().map(|twin| Seat::ALL.map(|seat| number(order(twin, seat)))).collect()
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, orders: &[[u8; 4]], mut seen: Option<&mut Seen>) {
        self.ended.clear();
        for (game, (twin, &orders)) in self.games.iter_mut().zip(orders).enumerate() {
            (twin.orders, twin.before) = (orders, twin.state);
            self.rewards[game] = [0; 4];
            if twin.state.is_over(&twin.arena) {
                continue;
            }
            let goes_on = twin.play(seen.as_deref_mut());
            self.rewards[game] = Seat::ALL.map(|seat| twin.state.strength[seat] - twin.before.strength[seat]);
            if !goes_on {
                self.ended.push((game, Arc::clone(&twin.arena), twin.state));
                if let Some(source) = &self.source {
                    *twin = Twin::begin(seed_of_game(self.seed, game as u64), twin.begun, &**source);
                }
            }
        }
    }

    /// The games that ended in the last step.
    pub(crate) fn ended(&self) -> &[(usize, Arc<Arena>, State)] {
        &self.ended
    }

    /// Holds everything that the games say of themselves against the twins.
    pub(crate) fn compare(&self, games: &Games, rewards: &[[i32; 4]], at: &str) {
        let mut ended: Vec<_> = games.ended().collect();
        ended.sort_by_key(|ended| ended.game);
        for (ours, (game, arena, state)) in ended.iter().zip(&self.ended) {
            let same = ours.game == *game && Arc::ptr_eq(&ours.arena, arena) && ours.state == *state;
            assert!(same, "{at}: game {game} ended, and so did {}\n{}", ours.game, difference(arena, state, &ours.state));
        }
        assert_eq!(ended.len(), self.ended.len(), "{at}: how many games ended");
        let mut legal = vec![[u16::MAX; 4]; self.games.len()];
        games.legal_orders(&mut legal);
        for (game, twin) in self.games.iter().enumerate() {
            let found = games.state(game);
            let same = Arc::ptr_eq(games.arena(game), &twin.arena) && found == twin.state;
            assert!(same, "{}\n{}", self.tell(game, at), difference(&twin.arena, &twin.state, &found));
            assert_eq!(rewards[game], self.rewards[game], "{}\nrewards", self.tell(game, at));
            assert_eq!(legal[game], twin.legal_orders(), "{}\nlegal orders", self.tell(game, at));
        }
    }

    /// What is to be known of a game in which something went wrong.
    pub(crate) fn tell(&self, game: usize, at: &str) -> String {
        let Twin { arena, before, begun, orders, .. } = &self.games[game];
        let seed = self.seed;
        let before = picture::write(arena, before);
        format!("{at}, seed {seed}, place {game}, game {begun} there, orders {orders:?} in this position\n{before}")
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
    pub(crate) fn new(set: InstructionSet, count: usize, seed: u64, source: Arc<dyn Source>) -> Pair {
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

    pub(crate) fn put(&mut self, game: usize, start: &Arc<Start>) {
        self.games.put(game, Arc::clone(start));
        self.twins.put(game, start);
    }

    /// Orders at random, of which the games and their twins must draw the same.
    pub(crate) fn orders_at_random(&mut self) -> Vec<[u8; 4]> {
        let mut orders = vec![[255; 4]; self.games.count()];
        self.games.orders_at_random(&mut orders);
        for (game, (orders, expected)) in orders.iter().zip(self.twins.orders_at_random()).enumerate() {
            let at = format!("{}, after {} steps", self.at, self.step);
            assert_eq!(*orders, expected, "{}\norders at random", self.twins.tell(game, &at));
        }
        orders
    }

    /// Plays a turn of all games.
    pub(crate) fn step(&mut self, orders: &[[u8; 4]], seen: Option<&mut Seen>) {
        self.step += 1;
        // What was in here before must not matter.
        self.rewards.fill([-77; 4]);
        self.games.step(orders, &mut self.rewards);
        self.twins.step(orders, seen);
        self.compare();
    }

    /// Plays so many turns at random.
    pub(crate) fn steps_at_random(&mut self, steps: u64) {
        for _ in 0..steps {
            let orders = self.orders_at_random();
            self.step(&orders, None);
        }
    }
}
