//! Trains the policy net of `sage`: how players of many styles act.
//!
//!     xz -dc games.jsonl.xz | cargo run --release -p lab --bin train_policy -- run 2000 600 10 player.net
//!
//! The arguments are a folder, a number of games, simulations per turn, the weight of a decision of a recorded player, and the net with
//! which `sage` plays the games among the styles; without it, `sage` finds all actions equally likely. A new net, `policy.net` in the folder, then
//! learns from these games and from the recorded games on standard input (see `recorded`), without those of the split `test`. The games
//! are kept in the folder. However a run is interrupted, the same command continues it, and gives the same net, with any number of threads.

use std::env;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use lab::recorded::RecordedGame;
use pacman2_bots::policy_net::{POLICY_WEIGHTS, PolicyNet};
use pacman2_training::{PolicyFit, PolicyGames, PolicyPlayer};
use rayon::prelude::*;

/// The seed of the first game's map. Tests and measurements have other maps.
const FIRST_SEED: i32 = 3_000_000;
/// The seed of everything random except the maps.
const SEED: u32 = 1;
const EPOCHS: u32 = 10;
/// Games that are played and written at a time.
const CHUNK: i32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let ([folder, games, simulations, weight], net) = match &arguments[..] {
        [folder, games, simulations, weight] => ([folder, games, simulations, weight], None),
        [folder, games, simulations, weight, net] => {
            ([folder, games, simulations, weight], Some(PolicyNet::read(&fs::read(net)?)?))
        }
        _ => {
            return Err(
                "expected a folder, a number of games, simulations per turn, a weight and the net that plays, if any".into()
            );
        }
    };
    let (folder, games, simulations, weight) = (Path::new(folder), games.parse()?, simulations.parse()?, weight.parse()?);
    let net = net.unwrap_or_else(|| PolicyNet::from_weights(&[0.0; POLICY_WEIGHTS]));
    fs::create_dir_all(folder)?;
    claim(folder, &net, simulations)?;
    let play = PolicyGames { net: Arc::new(net), simulations, seed: SEED };
    let played = played(&folder.join("games.jsonl"), &play, games)?;

    let recorded = RecordedGame::read_all(io::stdin().lock())?;
    let learned_from: Vec<&RecordedGame> = recorded.iter().filter(|game| game.split != "test").collect();
    let mut players: Vec<PolicyPlayer> = Vec::new();
    for recorded in &learned_from {
        players.extend(recorded.game.players()?.map(|player| PolicyPlayer { weight, ..player }));
    }
    for played in &played {
        players.extend(played.game.players()?);
    }
    let decisions: usize = players.iter().map(|player| player.decisions.len()).sum();
    eprintln!("{} players, {decisions} decisions", players.len());
    let fit = PolicyFit { players: &players, epochs: EPOCHS, seed: SEED };
    let net = fit.learn(|epoch, loss| eprintln!("epoch {epoch:>2}: {loss:.4}"));
    let origin = format!(
        "train_policy: {games} games, {simulations} simulations, and {} recorded games of weight {weight}",
        learned_from.len()
    );
    Ok(write(&folder.join("policy.net"), &net.write(&origin))?)
}

/// Makes sure that all games in the folder are played with this net and this number of simulations.
fn claim(folder: &Path, net: &PolicyNet, simulations: u32) -> Result<(), Box<dyn Error>> {
    let player = folder.join("player.net");
    let bytes = net.write(&format!("plays with {simulations} simulations"));
    match fs::read(&player) {
        Ok(before) if before == bytes => Ok(()),
        Ok(_) => Err(format!("{} was made with another net or number of simulations", folder.display()).into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(write(&player, &bytes)?),
        Err(error) => Err(error.into()),
    }
}

/// Writes a file, completely or not at all.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = file.with_extension("part");
    fs::write(&part, bytes)?;
    fs::rename(part, file)
}

/// Returns the games of a file, after playing those that it lacks.
fn played(file: &Path, play: &PolicyGames, games: i32) -> Result<Vec<RecordedGame>, Box<dyn Error>> {
    let mut writer = OpenOptions::new().create(true).append(true).open(file)?;
    let text = fs::read_to_string(file)?;
    // An interrupted run may have written a part of a line.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    writer.set_len(whole as u64)?;
    let mut first = FIRST_SEED + text[..whole].lines().count() as i32;
    while first < FIRST_SEED + games {
        let chunk = first..(first + CHUNK).min(FIRST_SEED + games);
        first = chunk.end;
        let played: Result<Vec<_>, _> = chunk.into_par_iter().map(|seed| play.play(seed)).collect();
        for game in played? {
            writeln!(writer, "{}", RecordedGame { split: "played".to_owned(), game }.line())?;
        }
        eprintln!("{} games", first - FIRST_SEED);
    }
    let mut all = RecordedGame::read_all(fs::read(file)?.as_slice())?;
    all.truncate(games as usize);
    Ok(all)
}
