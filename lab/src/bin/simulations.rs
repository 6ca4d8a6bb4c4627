//! Measures how many simulations a second `sage` runs.
//!
//!     cargo run --release -p lab --bin simulations -- 100000
//!
//! The number is that of simulations in each position. Names of components, such as `net`, may follow: `sage` searches without them, as with
//! its option `--without`. The positions are of games between `greedy` and `hunter`; in each, `sage` searches
//! once for one player as in a match, and once for all players as in an analysis. Time is that of this thread on a processor where the
//! system reports it, so that load on the machine matters less. The checksum is over everything that the searches found: a change that
//! is meant to change only the speed must not change it.

use std::env;
use std::error::Error;
use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use pacman2_bots::playout::play_to_end;
use pacman2_bots::sage::{Component, Sage, SearchResult};
use pacman2_bots::{BuiltIn, Effort};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Game, Ruleset};

/// The seeds of the maps, and in each game the turns before which `sage` searches.
const SEEDS: [i32; 6] = [1, 2, 3, 4, 5, 6];
const TURNS: [usize; 4] = [3, 25, 50, 75];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [simulations, without @ ..] = &arguments[..] else {
        return Err("expected the number of simulations in each position, and components to do without".into());
    };
    let effort = Effort::Simulations(simulations.parse()?);
    let component = |name: &String| name.parse().map_err(|_| format!("there is no component {name}"));
    let without: Vec<Component> = without.iter().map(component).collect::<Result<_, _>>()?;
    let games = SEEDS.map(play);

    for (who, decides) in [("for one player", true), ("for all players", false)] {
        let (mut simulations, mut checksum, mut time) = (0, 0, Duration::ZERO);
        for game in &games {
            let mut sage = without.iter().fold(Sage::new(effort), |sage, &component| sage.without(component));
            for turn in TURNS {
                let game = game.before(turn);
                let Some(seat) = game.state().alive.iter().next().filter(|_| !game.is_over()) else { continue };
                let own = decides.then_some(seat);
                // A new player first learns from the game so far; that is no part of a simulation.
                sage.expected_actions(&game, seat);
                let begin = cpu_time();
                let found = sage.search(&game, own, 1, || true);
                time += cpu_time().saturating_sub(begin);
                simulations += u64::from(found.simulations);
                checksum = add(checksum, &found);
            }
        }
        let speed = simulations as f64 / time.as_secs_f64();
        println!("{who}: {:.0} thousand simulations a second, {simulations} in all, checksum {checksum:016x}", speed / 1e3);
    }
    Ok(())
}

/// Plays a game between two bots `greedy` and two `hunter`.
fn play(seed: i32) -> Game {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default()).expect("Botzone's sizes can be generated");
    let bots = ["greedy", "hunter"].map(|name| name.parse::<BuiltIn>().expect("there is such a bot"));
    let mut game = Game::new(map.maze, map.start);
    play_to_end(&mut game, |game, seat| (bots[seat.index() % 2].decide)(game, seat, seed), || true);
    game
}

/// Adds everything that a search found to a checksum.
fn add(checksum: u64, found: &SearchResult) -> u64 {
    let text = format!("{found:?}");
    text.bytes().fold(checksum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Returns the time that this thread has been on a processor, or the time on a clock where the system does not report it.
fn cpu_time() -> Duration {
    let reported = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = reported.as_ref().and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(wall_time, Duration::from_nanos)
}

fn wall_time() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
