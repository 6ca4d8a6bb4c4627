//! Measures players of one seat at tables of opponents that are drawn for each map, all on the same maps and seats.
//!
//!     cargo run --release -p lab --bin strange_tables -- games.jsonl strong 700000 100 \
//!         "sage --simulations 1000" "sage --simulations 10000"
//!
//! The arguments are a file that keeps the games, a pool of opponents, the seed of the first map, a number of maps, and the players. After
//! a player's options, `--policy FILE` replaces its policy net. On each map, a player has each seat once, among the same three opponents.
//! The table shows a player's points and how often nobody was stronger at the end, and how both differ from those of the first
//! player, with 95 % intervals from the maps. An interrupted command continues where it was.
//!
//! The pools are `strong`, `walkers`, `list:BOT;BOT;BOT` with three bots or more, and `imitators:NET`. The last one has a bot for each
//! recorded player on standard input (see `recorded`), without the games of the split `test`: it takes the action that the net finds
//! likeliest, fitted to that player.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use lab::bot;
use lab::recorded::RecordedGame;
use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::playout::play_to_end;
use pacman2_bots::policy_net::{FittedPlayer, PolicyNet, PolicyPosition};
use pacman2_bots::sage::PlayerModel;
use pacman2_bots::{Agent, BotConfig};
use pacman2_maps::{Map, MapError, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde_json::{Value, json};

const STRONG: [&str; 14] = [
    "hunter",
    "sage --simulations 300",
    "style clever-lead",
    "style clever-points",
    "style careful-lead",
    "style careful-points",
    "style points-2",
    "style points-3",
    "style points-2-10",
    "style lead-3",
    "style lurking-sniper",
    "style expect-points",
    "style playouts-30",
    "style playouts-200",
];
const WALKERS: [&str; 3] = ["style plain", "greedy", "style guard"];

/// A bot at a table.
enum Bot {
    BuiltIn { config: BotConfig, policy: Option<Arc<PolicyNet>> },
    Imitator { net: Arc<PolicyNet>, player: Box<FittedPlayer> },
}

impl Bot {
    fn new(text: &str) -> Result<Bot, Box<dyn Error>> {
        let (spec, policy) = text.split_once(" --policy ").map_or((text, None), |(spec, file)| (spec, Some(file)));
        let policy = policy.map(read_net).transpose()?;
        Ok(Bot::BuiltIn { config: bot::read(spec)?, policy })
    }

    fn start(&self) -> Agent {
        match self {
            Bot::Imitator { net, player } => {
                let (net, player, mut known) = (Arc::clone(net), player.clone(), None);
                Box::new(move |game, seat, _| {
                    let tables = known.get_or_insert_with(|| DistanceTables::new(game.maze()));
                    let legal = game.state().legal_actions(game.maze(), seat);
                    let rows = PolicyPosition::from_game(tables, game).rows(seat, legal);
                    let likely = net.probabilities(&rows[..legal.len()], &player);
                    let likeliest = legal.iter().zip(likely).max_by(|one, other| one.1.total_cmp(&other.1));
                    likeliest.map_or(Action::Stay, |(&action, _)| action)
                })
            }
            Bot::BuiltIn { config, policy } => match (config.start_search(), policy) {
                (Some(sage), Some(policy)) => {
                    let mut sage = sage.with_policy(Arc::clone(policy));
                    Box::new(move |game, seat, seed| sage.decide(game, seat, seed))
                }
                _ => config.start(),
            },
        }
    }
}

fn read_net(file: &str) -> Result<Arc<PolicyNet>, Box<dyn Error>> {
    Ok(Arc::new(PolicyNet::read(&fs::read(file)?)?))
}

/// Returns the opponents of this pool.
fn opponents(pool: &str) -> Result<Vec<Bot>, Box<dyn Error>> {
    match pool.split_once(':') {
        None if pool == "strong" => STRONG.iter().map(|text| Bot::new(text)).collect(),
        None if pool == "walkers" => WALKERS.iter().map(|text| Bot::new(text)).collect(),
        Some(("list", bots)) if bots.split(';').count() >= 3 => bots.split(';').map(Bot::new).collect(),
        Some(("imitators", file)) => imitators(&read_net(file)?),
        _ => Err("expected the pool strong, walkers, list:BOT;BOT;BOT or imitators:NET".into()),
    }
}

/// Returns an imitator of each recorded player.
fn imitators(net: &Arc<PolicyNet>) -> Result<Vec<Bot>, Box<dyn Error>> {
    let mut models: BTreeMap<String, PlayerModel> = BTreeMap::new();
    for recorded in RecordedGame::read_all(io::stdin().lock())?.iter().filter(|game| game.split != "test") {
        for player in recorded.game.players()? {
            let model = models.entry(player.name).or_insert_with(|| PlayerModel::new(net));
            player.decisions.iter().for_each(|decision| model.learn(net, &decision.actions, decision.taken));
        }
    }
    Ok(models.values().map(|model| Bot::Imitator { net: Arc::clone(net), player: Box::new(model.player(net)) }).collect())
}

/// What a player achieved in a game, or in the mean of several.
#[derive(Clone, Copy, Default)]
struct Achieved {
    points: f64,
    firsts: f64,
}

/// What a player achieved on each map.
type ByMap = BTreeMap<i32, Achieved>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, pool, first, maps, players @ ..] = &arguments[..] else {
        return Err("expected a file, a pool, the seed of the first map, a number of maps, and players".into());
    };
    let (first, maps): (i32, i32) = (first.parse()?, maps.parse()?);
    let (opponents, bots) = (opponents(pool)?, players.iter().map(|text| Bot::new(text)).collect::<Result<Vec<_>, _>>()?);
    let mut kept = kept(file, pool)?;
    let writer = Mutex::new(OpenOptions::new().create(true).append(true).open(file)?);
    // Map by map, so that all players have played about as many when the command is interrupted.
    let missing = (first..first + maps).flat_map(|map| (0..players.len()).map(move |player| (map, player)));
    let missing: Vec<_> =
        missing.filter(|&(map, player)| !kept.get(&players[player]).is_some_and(|of| of.contains_key(&map))).collect();
    let played: Result<Vec<_>, String> = missing
        .into_par_iter()
        .map(|(map, player)| {
            let achieved = play_map(&bots[player], &opponents, map).map_err(|error| error.to_string())?;
            let (points, firsts) = (achieved.points, achieved.firsts);
            let line = json!({ "pool": pool, "player": players[player], "map": map, "points": points, "firsts": firsts });
            let mut writer = writer.lock().expect("no thread panics while it writes");
            writeln!(writer, "{line}").map_err(|error| error.to_string())?;
            Ok((player, map, achieved))
        })
        .collect();
    for (player, map, achieved) in played? {
        kept.entry(players[player].clone()).or_default().insert(map, achieved);
    }
    println!("{maps} maps from {first}, {} games each", 4 * maps);
    println!("       points     firsts      difference of points       of firsts  player");
    for player in players {
        let of = |name: &String| (first..first + maps).map(|map| kept[name][&map]).collect::<Vec<_>>();
        print(&of(player), &of(&players[0]), player);
    }
    Ok(())
}

/// Returns what is kept in the file for this pool, by player.
fn kept(file: &str, pool: &str) -> Result<BTreeMap<String, ByMap>, Box<dyn Error>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let mut kept: BTreeMap<String, ByMap> = BTreeMap::new();
    for line in text.lines() {
        let of: Value = serde_json::from_str(line)?;
        let (Some(player), Some(map)) = (of["player"].as_str(), of["map"].as_i64()) else {
            return Err(format!("not a result: {line}").into());
        };
        if of["pool"] == *pool {
            let [points, firsts] = ["points", "firsts"].map(|key| of[key].as_f64().unwrap_or(f64::NAN));
            kept.entry(player.to_owned()).or_default().insert(map as i32, Achieved { points, firsts });
        }
    }
    Ok(kept)
}

/// Plays the four games on the map of this seed.
fn play_map(player: &Bot, pool: &[Bot], seed: i32) -> Result<Achieved, MapError> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed as u64);
    let mut left: Vec<&Bot> = pool.iter().collect();
    let table = [(); 3].map(|()| left.swap_remove((random.next_u64() % left.len() as u64) as usize));
    let mut achieved = Achieved::default();
    for own in Seat::ALL {
        let mut agents = BySeat::from_fn(|seat| match (seat.index() + 4 - own.index()) % 4 {
            0 => player.start(),
            other => table[other - 1].start(),
        });
        let mut game = Game::new(map.maze.clone(), map.start);
        play_to_end(&mut game, |game, seat| agents[seat](game, seat, seed), || true);
        let scores = game.scores();
        achieved.points += scores[own].points() / 4.0;
        achieved.firsts += if Seat::ALL.iter().all(|&seat| scores[seat].rank <= scores[own].rank) { 0.25 } else { 0.0 };
    }
    Ok(achieved)
}

/// Prints what a player achieved on maps, and how it differs from the first player.
fn print(of: &[Achieved], of_first: &[Achieved], name: &str) {
    let column = |key: fn(&Achieved) -> f64| {
        let differences: Vec<f64> = of.iter().zip(of_first).map(|(one, first)| key(one) - key(first)).collect();
        (mean_and_error(&of.iter().map(key).collect::<Vec<_>>()), mean_and_error(&differences))
    };
    let ((points, error), (more_points, points_error)) = column(|achieved| achieved.points);
    let ((firsts, _), (more_firsts, firsts_error)) = column(|achieved| 100.0 * achieved.firsts);
    println!(
        "{points:>6.1} ± {error:>4.1}  {firsts:>7.1}%  {more_points:>+12.1} ± {points_error:>4.1}  {more_firsts:>+12.1} ± {firsts_error:>4.1}%  {name}"
    );
}

/// Returns the mean of independent values, and half the width of its 95 % interval.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 1.96 * (variance / count).sqrt())
}
