//! The opponent model: for each player a mixture of the policy net's styles, weighted by how well they predict its actions so far, and
//! how the player differs from it.

use pacman2_rules::{Game, HistoryEntry, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::choice::unit;
use crate::distance_tables::DistanceTables;
use crate::policy_net::{Decision, Difference, FittedPlayer, HIDDEN, Neurons, PolicyNet, PolicyPosition, STYLES, with_slips};

/// The probability that a player changes its style in a turn. It makes old observations fade.
const CHANGE: f32 = 0.01;

/// After each turn of a player, its difference is learned again from this many of its earlier decisions.
const REMEMBERED: usize = 4;

/// The shares of a player's actions that may be uniformly random, of which one is right.
const RANDOM_SHARES: [f32; 7] = [0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 0.9];
/// The probability that this share changes in a turn, so that one who leaves its style is trusted less soon.
const SHARE_CHANGE: f32 = 0.02;
/// The limits of the share that the search assumes.
const MIN_SHARE: f32 = 0.01;
const MAX_SHARE: f32 = 0.5;

/// The sum of the squares of the styles' weights up to which a player's style is unknown, and that from which it is certain: three
/// fifths and three quarters of the weight on one style.
const UNKNOWN: f32 = 0.35;
const CERTAIN: f32 = 0.55;

/// What is known about all four players.
#[derive(Default)]
pub(crate) struct OpponentModel {
    /// By seat; nothing before the first observation.
    players: Option<[PlayerModel; 4]>,
    /// The number of observed turns, and the last of them.
    turns: usize,
    last: Option<HistoryEntry>,
}

/// What is known about a player.
struct PlayerModel {
    /// The weights of the styles.
    weights: [f32; STYLES],
    difference: Difference,
    /// How likely each of [`RANDOM_SHARES`] is.
    random_shares: [f32; RANDOM_SHARES.len()],
    /// Its decisions among several actions.
    decisions: Vec<Decision>,
}

impl PlayerModel {
    fn new(net: &PolicyNet) -> PlayerModel {
        let alike = 1.0 / RANDOM_SHARES.len() as f32;
        PlayerModel {
            weights: *net.shares(),
            difference: Difference::NONE,
            random_shares: [alike; RANDOM_SHARES.len()],
            decisions: Vec::new(),
        }
    }

    /// Returns the mean row of the styles.
    fn mean_style(&self, net: &PolicyNet) -> Neurons {
        let mut mean = [0.0; HIDDEN];
        for (style, weight) in self.weights.iter().enumerate() {
            mean.iter_mut().zip(net.style(style)).for_each(|(mean, row)| *mean += weight * row);
        }
        mean
    }

    /// Learns how much of its play is random, before it learns anything else from the decision.
    fn learn_random_share(&mut self, net: &PolicyNet, Decision { actions, taken }: &Decision) {
        let foreseen = net.probabilities(actions, &self.player(net))[*taken];
        let uniform = 1.0 / actions.len() as f32;
        for (likely, share) in self.random_shares.iter_mut().zip(RANDOM_SHARES) {
            *likely *= (1.0 - share) * foreseen + share * uniform;
        }
        let total: f32 = self.random_shares.iter().sum();
        for likely in &mut self.random_shares {
            *likely = (1.0 - SHARE_CHANGE) * *likely / total + SHARE_CHANGE / RANDOM_SHARES.len() as f32;
        }
    }

    /// Returns the expected share of its actions that are uniformly random, within limits.
    fn random_share(&self) -> f32 {
        let shares = self.random_shares.iter().zip(RANDOM_SHARES);
        shares.map(|(likely, share)| likely * share).sum::<f32>().clamp(MIN_SHARE, MAX_SHARE)
    }

    /// Learns from a decision how much of its play is random, and how it differs from its style.
    fn learn(&mut self, net: &PolicyNet, decision: Decision) {
        if decision.actions.len() > 1 {
            self.learn_random_share(net, &decision);
        }
        let style = self.mean_style(net);
        let count = self.decisions.len();
        // Seeded by their number, the same are drawn whether the bot keeps running or starts anew.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(count as u64);
        let drawn: [usize; REMEMBERED] = std::array::from_fn(|_| (unit(&mut random) * count as f32) as usize);
        let remembered = drawn.into_iter().filter_map(|index| self.decisions.get(index)).take(count);
        self.difference.learn(net, &style, &decision, remembered);
        if decision.actions.len() > 1 {
            self.decisions.push(decision);
        }
    }

    /// Returns how certain its style is, from 0 to 1.
    fn certainty(&self) -> f32 {
        let squares: f32 = self.weights.iter().map(|weight| weight * weight).sum();
        ((squares - UNKNOWN) / (CERTAIN - UNKNOWN)).clamp(0.0, 1.0)
    }

    fn player(&self, net: &PolicyNet) -> FittedPlayer {
        self.difference.player(net, &self.mean_style(net))
    }
}

impl OpponentModel {
    /// Observes the turns played since the last call, or all turns if the game is another one.
    pub(crate) fn observe(&mut self, net: &PolicyNet, tables: &DistanceTables, game: &Game) {
        if self.turns > 0 && game.turns().get(self.turns - 1) != self.last.as_ref() {
            *self = OpponentModel::default();
        }
        let players = self.players.get_or_insert_with(|| std::array::from_fn(|_| PlayerModel::new(net)));
        for played in &game.turns()[self.turns..] {
            let position = PolicyPosition::new(tables, game.maze(), &played.before);
            for seat in played.before.alive.iter() {
                let legal = played.before.legal_actions(game.maze(), seat);
                let Some(given) = legal.iter().position(|&action| action == played.actions[seat]) else { continue };
                let rows = position.rows(seat, legal);
                let rows = &rows[..legal.len()];
                let player = &mut players[seat.index()];
                player.learn(net, Decision { actions: rows.to_vec(), taken: given });
                let weights = &mut player.weights;
                weights.iter_mut().zip(net.likelihoods(rows, given)).for_each(|(weight, likely)| *weight *= likely);
                let total: f32 = weights.iter().sum();
                for (weight, beforehand) in weights.iter_mut().zip(net.shares()) {
                    *weight = (1.0 - CHANGE) * *weight / total + CHANGE * beforehand;
                }
            }
        }
        self.turns = game.turns().len();
        self.last = game.turns().last().copied();
    }

    /// Returns the probability of each of a seat's legal actions.
    pub(crate) fn probabilities(
        &self,
        net: &PolicyNet,
        tables: &DistanceTables,
        maze: &Maze,
        state: &State,
        seat: Seat,
    ) -> [f32; 9] {
        let legal = state.legal_actions(maze, seat);
        let rows = PolicyPosition::new(tables, maze, state).rows(seat, legal);
        let mut likely = net.probabilities(&rows[..legal.len()], &self.player(net, seat));
        likely[..legal.len()].iter_mut().for_each(|likely| *likely = with_slips(*likely, legal.len()));
        likely
    }

    /// Returns how certain a seat's style is, from 0 to 1.
    pub(crate) fn certainty(&self, seat: Seat) -> f32 {
        self.players.as_ref().map_or(0.0, |players| players[seat.index()].certainty())
    }

    /// Returns the share of a seat's actions to expect as uniformly random.
    pub(crate) fn random_share(&self, net: &PolicyNet, seat: Seat) -> f32 {
        self.players.as_ref().map_or_else(|| PlayerModel::new(net).random_share(), |players| players[seat.index()].random_share())
    }

    /// Returns a seat's player as far as it is known.
    pub(crate) fn player(&self, net: &PolicyNet, seat: Seat) -> FittedPlayer {
        self.players.as_ref().map_or_else(|| PlayerModel::new(net).player(net), |players| players[seat.index()].player(net))
    }
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Action, BySeat, picture};

    use super::*;
    use crate::built_in::BuiltIn;

    const FIELD: &str = "
        turn 0/100, fruit in 3/8
        +---+---+---+---+---+---+---+
        | 0   .       .   .       . |
        +   +---+   +   +   +---+   +
        | .   G   o     |     G   . |
        +   +   +   +   +   +   +   +
        |     2   .       . | 1     |
        +   +   +---+   +   +   +   +
        | .       .   G   o       . |
        +   +   +   +   +   +---+   +
        | .   .       .   3   .   . |
        +---+---+---+---+---+---+---+
    ";

    #[test]
    fn one_who_leaves_its_style_is_expected_to_play_at_random() {
        let (maze, start) = picture::read(FIELD).expect("it is a picture");
        let (net, tables) = (PolicyNet::built_in(), DistanceTables::new(&maze));
        let [greedy, random] = ["greedy", "random"].map(|name| BuiltIn::named(name).expect("there is such a bot"));
        let [mut as_before, mut surprised] = [0.0, 0.0];
        for seed in 1..=8 {
            let mut game = Game::new(maze.clone(), start);
            let mut model = OpponentModel::default();
            while !game.is_over() && game.state().alive.contains(Seat::S0) && game.turns().len() < 60 {
                let turn = game.turns().len();
                if turn == 40 {
                    as_before += model.random_share(&net, Seat::S0) / 8.0;
                }
                let bot = if turn < 40 { greedy } else { random };
                let decide =
                    |seat| if game.state().alive.contains(seat) { (bot.decide)(&game, seat, seed) } else { Action::Stay };
                let actions = BySeat::from_fn(decide);
                game.play(&actions);
                model.observe(&net, &tables, &game);
            }
            surprised += model.random_share(&net, Seat::S0) / 8.0;
        }
        assert!(as_before < 0.1 && surprised > 0.3, "{as_before} {surprised}");
    }

    #[test]
    fn the_style_of_a_walker_becomes_certain_and_that_of_chance_does_not() {
        let (maze, start) = picture::read(FIELD).expect("it is a picture");
        let (net, tables) = (PolicyNet::built_in(), DistanceTables::new(&maze));
        let [greedy, random] = ["greedy", "random"].map(|name| BuiltIn::named(name).expect("there is such a bot"));
        let (mut certain, mut unknown) = (0.0, 0.0);
        for seed in 1..=8 {
            let mut game = Game::new(maze.clone(), start);
            while !game.is_over() && game.turns().len() < 60 {
                let decide = |seat| {
                    let bot = if seat == Seat::S0 { greedy } else { random };
                    if game.state().alive.contains(seat) { (bot.decide)(&game, seat, seed) } else { Action::Stay }
                };
                let actions = BySeat::from_fn(decide);
                game.play(&actions);
            }
            let mut model = OpponentModel::default();
            assert_eq!(model.certainty(Seat::S0), 0.0);
            model.observe(&net, &tables, &game);
            certain += model.certainty(Seat::S0) / 8.0;
            unknown += model.certainty(Seat::S1) / 8.0;
        }
        assert!(certain > 0.5 && unknown < 0.1, "{certain} {unknown}");
    }
}
