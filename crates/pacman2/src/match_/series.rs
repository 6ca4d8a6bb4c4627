//! `pacman2 match --games`: many matches between built-in bots, and a summary of them.
//!
//! Each is the match that `pacman2 match` plays with its seed, but without a replay.

mod rotation;
mod tally;

use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pacman2_analysis::position;
use pacman2_bot_source::built_in;
use pacman2_bots::BotConfig;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::map_source::{self, InitData, Seed, random_seed};
use pacman2_console::progress::{ProgressLine, time_left};
use pacman2_console::text::fit_column;
use pacman2_console::workers::{self, Progress};
use pacman2_maps::MapSize;
use pacman2_rules::{Action, BySeat, Game, Maze, Ruleset, Seat, State};
use serde_json::{Value, json};

use crate::args::MatchArgs;
use tally::{SeriesTally, mean};

/// The largest number of games that a thread takes at a time. Short games are over in a fraction of a millisecond.
const MAX_CHUNK: u32 = 64;

/// The checked options of `match --games`: games that differ in their seeds only, each with the seed after the last game's.
pub(super) struct Series {
    names: Vec<String>,
    bots: BySeat<BotConfig>,
    games: u32,
    first_seed: i32,
    maps: Maps,
    /// Whether four games are played with each seed, the bots one seat further each time.
    rotate: bool,
    threads: usize,
}

/// What the games of a series begin with.
enum Maps {
    /// Botzone's map of each game's seed.
    Generated { size: MapSize, ruleset: Ruleset },
    /// The same, with the settings of a file.
    GeneratedAs { file: InitData, turns: Option<u32>, base: Ruleset },
    /// The same map each time. Only the bots depend on the seed.
    Fixed { maze: Arc<Maze>, start: State },
}

fn bot(text: &str) -> anyhow::Result<BotConfig> {
    let unknown = || bad_input(format!("--games needs built-in bots: {}", built_in::unknown(text)));
    Ok(built_in::read(text).ok_or_else(unknown)??.config)
}

impl Series {
    pub(super) fn new(args: MatchArgs) -> anyhow::Result<Series> {
        let games = args.games.unwrap_or(1);
        let bots = args.bots.iter().map(|text| bot(text)).collect::<anyhow::Result<Vec<_>>>()?;
        let bots = BySeat(bots.try_into().map_err(|_| bad_input("expected four bots"))?);
        if args.rotate && !games.is_multiple_of(rotation::MATCHES) {
            return Err(bad_input(format!("--rotate plays four games on each map; --games {games} is not a multiple of four")));
        }
        let last_first_seed = i32::MAX - (games as i32 - 1);
        let seed = Seed { given: args.seed, default: random_seed().min(last_first_seed) };
        let base = Ruleset::default().with_forfeit_ruling(args.ruling);
        let (first_seed, maps) = match args.map {
            Some(file) => Maps::read(file, seed, args.turns, base)?,
            None => {
                let ruleset = Ruleset { turn_limit: args.turns.unwrap_or(base.turn_limit), ..base };
                (seed.given.unwrap_or(seed.default), Maps::Generated { size: args.size.unwrap_or_default(), ruleset })
            }
        };
        if first_seed > last_first_seed {
            return Err(bad_input(format!(
                "{games} games from seed {first_seed} on would need seeds above {}; choose a first seed of at most {last_first_seed}",
                i32::MAX
            )));
        }
        let threads = args.threads.map_or_else(workers::default_threads, usize::from).min(games as usize);
        Ok(Series { names: args.bots, bots, games, first_seed, maps, rotate: args.rotate, threads })
    }

    pub(super) fn run(&self, json: bool) -> anyhow::Result<ExitCode> {
        let stop = stop_on_interrupt()?;
        let begin = Instant::now();
        let tally = self.play_all(&stop)?;
        let outcome = SeriesResult { series: self, tally, time: begin.elapsed() };
        if json {
            writeln!(io::stdout(), "{}", outcome.json())?
        } else {
            outcome.print_table(&mut io::stdout())?
        }
        Ok(if outcome.is_finished() { ExitCode::SUCCESS } else { INTERRUPTED.into() })
    }

    /// The seed of a game, counted from 0.
    fn seed(&self, game: u32) -> i32 {
        self.first_seed + if self.rotate { game / rotation::MATCHES } else { game } as i32
    }

    /// The bots by their seats in a game, counted from 0.
    fn seating(&self, game: u32) -> BySeat<&BotConfig> {
        let places = rotation::places(if self.rotate { game } else { 0 });
        BySeat::from_fn(|seat| &self.bots.0[places[seat]])
    }

    /// Plays the games until all are over or `stop` is set, with a line of progress on a terminal.
    fn play_all(&self, stop: &AtomicBool) -> anyhow::Result<SeriesTally> {
        let size = (self.games / (self.threads as u32 * 64)).clamp(1, MAX_CHUNK);
        let chunks = (0..self.games.div_ceil(size)).map(|chunk| chunk * size..((chunk + 1) * size).min(self.games));
        let mut total = SeriesTally::default();
        let (mut line, begin) = (ProgressLine::for_terminal(), Instant::now());
        workers::run(
            self.threads,
            chunks,
            stop,
            || (),
            |(), games| Some(self.play_some(games, stop)),
            |progress| {
                if let Progress::Done(tally) = progress {
                    total.add(&tally?);
                }
                let left =
                    time_left(begin, total.games as usize, (self.games - total.games) as usize, self.threads * size as usize);
                line.show(format_args!("{} of {} games played{left}", total.games, self.games));
                Ok(())
            },
        )?;
        Ok(total)
    }

    /// Plays these games until `stop` is set.
    fn play_some(&self, games: Range<u32>, stop: &AtomicBool) -> anyhow::Result<SeriesTally> {
        let mut tally = SeriesTally::default();
        for number in games {
            let seed = self.seed(number);
            let mut game = self.maps.game(seed)?;
            if !play(&mut game, self.seating(number), seed, stop) {
                break;
            }
            tally.count(&game, self.games - 1 - number);
            if self.rotate {
                tally.rotated.push(rotation::MatchResult::from_game(&game, number));
            }
        }
        Ok(tally)
    }
}

/// Plays a game to its end; `false` if it was interrupted.
fn play(game: &mut Game, bots: BySeat<&BotConfig>, seed: i32, stop: &AtomicBool) -> bool {
    let mut agents = BySeat::from_fn(|seat| bots[seat].start());
    while !game.is_over() {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let alive = game.state().alive;
        let decide = |seat| if alive.contains(seat) { agents[seat](game, seat, seed) } else { Action::Stay };
        let actions = BySeat::from_fn(decide);
        game.play(&actions);
    }
    true
}

impl Maps {
    /// Reads a file of init data. Returns the seed of the first game, too.
    fn read(file: PathBuf, seed: Seed, turns: Option<u32>, base: Ruleset) -> anyhow::Result<(i32, Maps)> {
        let file = InitData::read(&file)?;
        let (map, warnings) = file.map(seed, base)?;
        file.warn(&warnings);
        let maps = if file.is_generated() {
            Maps::GeneratedAs { file, turns, base }
        } else {
            Maps::Fixed { maze: Arc::new(map_source::with_turn_limit(map.maze, turns)?), start: map.start }
        };
        Ok((map.seed, maps))
    }

    /// The game of a seed, before its first turn.
    fn game(&self, seed: i32) -> anyhow::Result<Game> {
        let map = match self {
            Maps::Generated { size, ruleset } => map_source::generate(seed, *size, *ruleset)?,
            Maps::GeneratedAs { file, turns, base } => {
                let (mut map, _) = file.map(Seed { given: Some(seed), default: seed }, *base)?;
                map.maze = map_source::with_turn_limit(map.maze, *turns)?;
                map
            }
            Maps::Fixed { maze, start } => return Ok(Game::new(Arc::clone(maze), *start)),
        };
        Ok(Game::new(map.maze, map.start))
    }
}

/// A series that was played, or a part of it.
struct SeriesResult<'a> {
    series: &'a Series,
    tally: SeriesTally,
    time: Duration,
}

impl SeriesResult<'_> {
    fn is_finished(&self) -> bool {
        self.tally.games == self.series.games
    }

    fn games_per_second(&self) -> f64 {
        f64::from(self.tally.games) / self.time.as_secs_f64()
    }

    /// The checksum of all games; `None` if some are missing.
    fn checksum(&self) -> Option<String> {
        self.is_finished().then(|| format!("{:016x}", self.tally.checksum))
    }

    fn rotated(&self) -> rotation::Summary<'_> {
        rotation::Summary::new(&self.series.names, &self.tally.rotated)
    }

    fn json(&self) -> Value {
        let SeriesTally { games, turns, seats, .. } = &self.tally;
        let seat = |seat: Seat| {
            let tally = &seats[seat];
            json!({
                "name": self.series.names[seat.index()],
                "mean_score": rounded(tally.mean_score(*games)),
                "standard_error": tally.standard_error(*games).map(rounded),
                "mean_rank": rounded(mean(tally.ranks as f64, *games)),
                "firsts": tally.firsts,
                "mean_strength": rounded(mean(tally.strength as f64, *games)),
            })
        };
        json!({
            "seed": self.series.first_seed,
            "games": games,
            "finished": self.is_finished(),
            "turns": turns,
            "seconds": rounded(self.time.as_secs_f64()),
            "games_per_second": self.games_per_second().round(),
            "threads": self.series.threads,
            "seats": (!self.series.rotate).then(|| Seat::ALL.map(seat)),
            "rotated": self.series.rotate.then(|| self.rotated().json()),
            "checksum": self.checksum(),
        })
    }

    fn print_table(&self, out: &mut impl Write) -> io::Result<()> {
        let SeriesTally { games, turns, .. } = &self.tally;
        if self.series.rotate {
            self.rotated().print(out)?
        } else {
            self.print_seats(out)?
        }
        if !self.is_finished() {
            writeln!(out, "Interrupted: {games} of {} games were played.", self.series.games)?;
        }
        let (first, last) = (self.series.first_seed, self.series.seed(self.series.games - 1));
        let (seconds, speed, threads) = (self.time.as_secs_f64(), self.games_per_second(), self.series.threads);
        let checksum = self.checksum().map_or_else(String::new, |checksum| format!(", checksum {checksum}"));
        writeln!(out, "games {games}, seeds {first} to {last}, turns {turns}{checksum}")?;
        writeln!(out, "{seconds:.2} s, {speed:.0} games per second, threads {threads}")
    }

    fn print_seats(&self, out: &mut impl Write) -> io::Result<()> {
        let (games, seats) = (self.tally.games, &self.tally.seats);
        writeln!(out, "seat  bot                         score   ± 95 %  place    firsts  strength")?;
        for (seat, tally) in seats.iter() {
            let name = fit_column(&self.series.names[seat.index()], 24);
            let score = tally.mean_score(games);
            let margin = tally.standard_error(games).map_or("–".to_owned(), |error| format!("{:.2}", 1.96 * error));
            let place = mean(tally.places as f64, games);
            let strength = mean(tally.strength as f64, games);
            writeln!(
                out,
                "{:>4}  {name} {score:>8.2} {margin:>8} {place:>6.2} {:>9} {strength:>9.2}",
                seat.index(),
                tally.firsts
            )?;
        }
        Ok(())
    }
}

/// Rounds to six decimals, which is more than the precision of these numbers.
fn rounded(number: f64) -> f64 {
    position::rounded(number, 6)
}
