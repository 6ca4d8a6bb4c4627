//! Trains the policy net of `sage`: how players of many styles act.
//!
//!     xz -dc games.jsonl.xz | cargo run --release -p pacman2 --example train_policy -- policy.net 1000 2000 2
//!
//! The numbers are games per generation, simulations per turn and generations. In a generation, `sage` plays among the styles, with the
//! net of the generation before; at first, with one that finds all actions equally likely. A new net then learns from these games, from
//! those of the generation before, and from the recorded games on standard input (see `recorded`), without those of the split `test`.

mod recorded;

use std::error::Error;
use std::sync::Arc;
use std::{env, fs, io};

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::policy_net::{POLICY_WEIGHTS, PolicyNet};
use pacman2_rules::Seat;
use pacman2_training::{PolicyDecision, PolicyFit, PolicyGames, PolicyPlayer};
use rayon::prelude::*;
use recorded::RecordedGame;

/// The seed of the first game's map. Tests and measurements have other maps.
const FIRST_SEED: i32 = 2_000_000;
/// The seed of everything random except the maps.
const SEED: u32 = 1;
const EPOCHS: u32 = 16;
/// The weight of the decisions of recorded players, who are few and not ours.
const RECORDED_WEIGHT: f32 = 3.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [out, games, simulations, generations] = &arguments[..] else {
        return Err("expected the file of the net, games per generation, simulations per turn and generations".into());
    };
    let (games, simulations, generations): (i32, u32, i32) = (games.parse()?, simulations.parse()?, generations.parse()?);
    let recorded = RecordedGame::read_all(io::stdin().lock())?;
    let learned_from: Vec<&RecordedGame> = recorded.iter().filter(|game| game.split != "test").collect();
    let mut players: Vec<PolicyPlayer> = learned_from.iter().flat_map(|game| players_of(game)).collect();
    let (strangers, mut older) = (players.len(), 0);

    let mut net = Arc::new(PolicyNet::from_weights(&[0.0; POLICY_WEIGHTS]));
    for generation in 0..generations {
        // Of the games before, only those of the last generation remain.
        players.drain(strangers..strangers + older);
        older = players.len() - strangers;
        let play = PolicyGames { net: Arc::clone(&net), simulations, seed: SEED };
        let first = FIRST_SEED + generation * games;
        let played: Result<Vec<_>, _> = (first..first + games).into_par_iter().map(|seed| play.play(seed)).collect();
        players.extend(played?.into_iter().flatten());
        let decisions: usize = players.iter().map(|player| player.decisions.len()).sum();
        eprintln!("generation {}: {} players, {decisions} decisions", generation + 1, players.len());
        let fit = PolicyFit { players: &players, epochs: EPOCHS, seed: SEED };
        net = Arc::new(fit.learn(|epoch, loss| eprintln!("epoch {epoch:>2}: {loss:.4}")));
    }
    let origin = format!(
        "train_policy: {generations} generations of {games} games, {simulations} simulations, and {} recorded games",
        learned_from.len()
    );
    fs::write(out, net.write(&origin))?;
    Ok(())
}

/// Returns the players of a recorded game.
fn players_of(game: &RecordedGame) -> Vec<PolicyPlayer> {
    let player = |seat: Seat| PolicyPlayer {
        name: game.names[seat.index()].clone(),
        is_own: false,
        weight: RECORDED_WEIGHT,
        decisions: Vec::new(),
    };
    let mut players = Seat::ALL.map(player);
    let mut tables = None;
    game.decisions(|game, seat, action| {
        let tables = tables.get_or_insert_with(|| DistanceTables::new(game.maze()));
        players[seat.index()].decisions.extend(PolicyDecision::new(tables, game.maze(), game.state(), seat, action));
    });
    players.into()
}
