//! The opponent model: what is known about all players of a match.

use pacman2_rules::{Action, BySeat, Game, HistoryEntry, Seat};

use super::player_model::PlayerModel;
use crate::distance_tables::DistanceTables;
use crate::policy_net::{FittedPlayer, PolicyNet, PolicyPosition};

/// What is known about all four players.
#[derive(Default)]
pub(crate) struct OpponentModel {
    /// By seat; nothing before the first observation.
    players: Option<[PlayerModel; 4]>,
    /// The number of observed turns, and the last of them.
    turns: usize,
    last: Option<HistoryEntry>,
}

impl OpponentModel {
    /// Observes the turns played since the last call, or all turns if the game is another one.
    pub(crate) fn observe(&mut self, net: &PolicyNet, tables: &DistanceTables, game: &Game) {
        if self.turns > 0 && game.turns().get(self.turns - 1) != self.last.as_ref() {
            *self = OpponentModel::default();
        }
        let players = self.players.get_or_insert_with(|| std::array::from_fn(|_| PlayerModel::new(net)));
        let mut before = self.last.map_or(BySeat([Action::Stay; 4]), |last| last.actions);
        for played in &game.turns()[self.turns..] {
            let position = PolicyPosition::new(tables, game.maze(), &played.before).after(before);
            for seat in played.before.alive.iter() {
                let legal = played.before.legal_actions(game.maze(), seat);
                let Some(given) = legal.iter().position(|&action| action == played.actions[seat]) else { continue };
                let rows = position.rows(seat, legal);
                players[seat.index()].learn(net, &rows[..legal.len()], given);
            }
            before = played.actions;
        }
        self.turns = game.turns().len();
        self.last = game.turns().last().copied();
    }

    /// Returns the probability of each of a seat's legal actions, as the search expects them.
    pub(crate) fn probabilities(&self, net: &PolicyNet, tables: &DistanceTables, game: &Game, seat: Seat) -> [f32; 9] {
        let legal = game.state().legal_actions(game.maze(), seat);
        let rows = PolicyPosition::from_game(tables, game).rows(seat, legal);
        let (likely, share) = (net.probabilities(&rows[..legal.len()], &self.player(net, seat)), self.random_share(net, seat));
        likely.map(|likely| share / legal.len() as f32 + (1.0 - share) * likely)
    }

    /// Returns how likely a seat's player follows a fixed rule, without looking ahead.
    pub(crate) fn rule_follower_probability(&self, net: &PolicyNet, seat: Seat) -> f32 {
        self.read(net, seat, |player| player.rule_follower_probability(net))
    }

    /// Returns how likely a seat's player searches as `sage` does.
    pub(crate) fn searcher_probability(&self, net: &PolicyNet, seat: Seat) -> f32 {
        self.read(net, seat, PlayerModel::searcher_probability)
    }

    /// Returns the share of a seat's actions to expect as uniformly random.
    pub(crate) fn random_share(&self, net: &PolicyNet, seat: Seat) -> f32 {
        self.read(net, seat, PlayerModel::random_share)
    }

    /// Returns a seat's player as far as it is known.
    pub(crate) fn player(&self, net: &PolicyNet, seat: Seat) -> FittedPlayer {
        self.read(net, seat, |player| player.player(net))
    }

    /// Reads the model of a seat's player, or of one that has done nothing yet.
    fn read<T>(&self, net: &PolicyNet, seat: Seat, read: impl FnOnce(&PlayerModel) -> T) -> T {
        match &self.players {
            Some(players) => read(&players[seat.index()]),
            None => read(&PlayerModel::new(net)),
        }
    }
}

#[cfg(test)]
mod tests {
    use pacman2_rules::picture;

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
        let [greedy, random] = ["greedy", "random"].map(|name| name.parse::<BuiltIn>().expect("there is such a bot"));
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
    fn a_walker_is_distinguished_from_one_that_looks_ahead() {
        let (maze, start) = picture::read(FIELD).expect("it is a picture");
        let (net, tables) = (PolicyNet::built_in(), DistanceTables::new(&maze));
        let bots = ["greedy", "hunter", "random", "random"].map(|name| name.parse::<BuiltIn>().expect("there is such a bot"));
        // How likely either is a walker, and a searcher.
        let [mut walker, mut hunter] = [[0.0; 2]; 2];
        for seed in 1..=8 {
            let mut game = Game::new(maze.clone(), start);
            while !game.is_over() && game.turns().len() < 60 {
                let alive = game.state().alive;
                let decide =
                    |seat: Seat| if alive.contains(seat) { (bots[seat.index()].decide)(&game, seat, seed) } else { Action::Stay };
                let actions = BySeat::from_fn(decide);
                game.play(&actions);
            }
            let mut model = OpponentModel::default();
            model.observe(&net, &tables, &game);
            for (seat, likely) in [(Seat::S0, &mut walker), (Seat::S1, &mut hunter)] {
                likely[0] += model.rule_follower_probability(&net, seat) / 8.0;
                likely[1] += model.searcher_probability(&net, seat) / 8.0;
            }
        }
        assert!(walker[0] > 0.6 && hunter[0] < 0.4, "{walker:?} {hunter:?}");
        assert!(walker[1] < 0.2 && hunter[1] > 0.5, "{walker:?} {hunter:?}");
    }
}
