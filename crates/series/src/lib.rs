//! `pacman2 play --games`: many matches, and a summary of them.
//!
//! Each is the match that `pacman2 play` plays with its seed, but without a replay. Games between built-in bots are played inside this
//! process, thousands a second.

#![deny(unsafe_code)]

pub mod lost;
mod programs;
mod rotation;
mod tally;

use pacman2_console::stdout::stdout;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pacman2_analysis::position;
use pacman2_bot_source::built_in::BuiltInBot;
use pacman2_bot_source::sandbox::SandboxOptions;
use pacman2_bot_source::source::{BotArgument, BotSource};
use pacman2_bots::BotConfig;
use pacman2_bots::playout::play_to_end;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::map_source::{self, InitData, Seed, random_seed};
use pacman2_console::progress::{ProgressLine, time_left};
use pacman2_console::text::{counted, fit_column, sanitize};
use pacman2_console::workers::{self, Progress};
use pacman2_maps::{Map, MapSize};
use pacman2_match::referee::AskMode;
use pacman2_rules::{BySeat, ForfeitRuling, Game, Maze, Ruleset, Seat, State};
use pacman2_runner::Limits;
use pacman2_tournament::standings::margin;
use serde_json::{Value, json};

use programs::{PlayedMatch, Programs};
use tally::{FaultTally, SeriesTally, WorstGame, mean, win_rate};

/// The largest number of games that a thread takes at a time. Short games are over in a fraction of a millisecond.
const MAX_CHUNK: u32 = 64;

/// What is played: games that differ in their seeds only, each with the seed after the last game's.
pub struct SeriesOptions {
    /// The four bots. Which of them has which seat depends on `rotate`.
    pub bots: Vec<BotArgument>,
    /// Whether built-in bots run as processes, too.
    pub as_process: bool,
    /// How many games are played.
    pub games: u32,
    /// Whether four games are played with each seed, the bots one seat further each time.
    pub rotate: bool,
    /// How many games are played at the same time; `None` for as many as suit this machine.
    pub parallel: Option<usize>,
    /// The seed of the first game; `None` for that of the map, or a random one.
    pub seed: Option<i32>,
    /// A file of init data, with a map or with settings.
    pub map: Option<PathBuf>,
    /// The size of the maps; `None` if the seed decides.
    pub size: Option<MapSize>,
    /// The number of turns; `None` for that of the init data, or Botzone's.
    pub turns: Option<u32>,
    /// Whether light hits a player that forfeits this turn.
    pub ruling: ForfeitRuling,
    /// How many bots of a game think at the same time; `None` for as many as suit this machine.
    pub ask_mode: Option<AskMode>,
    /// The limits of each bot.
    pub limits: Limits,
    /// Where programs run.
    pub sandbox: SandboxOptions,
    /// The folder for the replays of matches that the first bot lost.
    pub lost: Option<PathBuf>,
    /// The options with which `pacman2 play` plays one of the matches, besides its bots and seed.
    pub of_single: Vec<String>,
    /// Whether the summary is JSON.
    pub json: bool,
}

/// Plays the games, and writes the summary to standard output.
///
/// # Errors
///
/// If the options contradict each other, or a match cannot be played.
pub fn run(options: SeriesOptions) -> anyhow::Result<ExitCode> {
    let json = options.json;
    Series::new(options)?.run(json)
}

/// The checked options.
struct Series {
    names: Vec<String>,
    contestants: Contestants,
    /// The options of the command line of a single match.
    of_single: Vec<String>,
    games: u32,
    first_seed: i32,
    maps: Maps,
    /// Whether four games are played with each seed, the bots one seat further each time.
    rotate: bool,
    threads: usize,
}

/// Who plays.
enum Contestants {
    BuiltIn(Box<BySeat<BotConfig>>),
    Programs(Box<Programs>),
}

impl Contestants {
    fn new(options: &SeriesOptions) -> anyhow::Result<Contestants> {
        let specs = options.bots.iter().map(|bot| match &bot.source {
            BotSource::BuiltIn(spec) => Some((&bot.text, spec)),
            _ => None,
        });
        match specs.collect::<Option<Vec<_>>>() {
            Some(specs) if !options.as_process && options.lost.is_none() => {
                let bots = specs.into_iter().map(|(text, spec)| Ok(BuiltInBot::read(text, spec.clone())?.config));
                let bots = bots.collect::<anyhow::Result<Vec<_>>>()?;
                Ok(Contestants::BuiltIn(Box::new(BySeat(bots.try_into().map_err(|_| bad_input("expected four bots"))?))))
            }
            _ => Ok(Contestants::Programs(Box::new(Programs::new(options)?))),
        }
    }
}

/// What the games of a series begin with.
enum Maps {
    /// Botzone's map of each game's seed.
    Generated { size: MapSize, ruleset: Ruleset },
    /// The same, with the settings of a file.
    GeneratedAs { file: InitData, turns: Option<u32>, base: Ruleset },
    /// The same map each time. Only the bots depend on the seed.
    Fixed { maze: Maze, start: State },
}

impl Series {
    fn new(options: SeriesOptions) -> anyhow::Result<Series> {
        let names = options.bots.iter().map(|bot| bot.text.clone()).collect();
        let contestants = Contestants::new(&options)?;
        let SeriesOptions { games, rotate, parallel, seed, map, size, turns, ruling, of_single, .. } = options;
        if rotate && !games.is_multiple_of(rotation::MATCHES) {
            return Err(bad_input(format!("--rotate plays four games on each map; --games {games} is not a multiple of four")));
        }
        let last_first_seed = i32::MAX - (games as i32 - 1);
        let seed = Seed { given: seed, default: random_seed().min(last_first_seed) };
        let base = Ruleset::default().with_forfeit_ruling(ruling);
        let (first_seed, maps) = match map {
            Some(file) => Maps::read(file, seed, turns, base)?,
            None => {
                let ruleset = Ruleset { turn_limit: turns.unwrap_or(base.turn_limit), ..base };
                (seed.given.unwrap_or(seed.default), Maps::Generated { size: size.unwrap_or_default(), ruleset })
            }
        };
        if first_seed > last_first_seed {
            return Err(bad_input(format!(
                "{games} games from seed {first_seed} on would need seeds above {}; choose a first seed of at most {last_first_seed}",
                i32::MAX
            )));
        }
        let threads = match &contestants {
            Contestants::BuiltIn(_) => parallel.unwrap_or_else(workers::default_threads),
            Contestants::Programs(programs) => programs.at_once,
        };
        let threads = threads.min(games as usize);
        Ok(Series { names, contestants, of_single, games, first_seed, maps, rotate, threads })
    }

    fn run(&self, json: bool) -> anyhow::Result<ExitCode> {
        let stop = stop_on_interrupt()?;
        let begin = Instant::now();
        let tally = self.play_all(&stop);
        pacman2_runner::sweep();
        let tally = tally?;
        let outcome = SeriesResult { series: self, tally, time: begin.elapsed() };
        if json {
            writeln!(stdout(), "{}", labelled("play games", outcome.json()))?
        } else {
            outcome.print_table(&mut stdout())?
        }
        Ok(if outcome.is_finished() { ExitCode::SUCCESS } else { INTERRUPTED.into() })
    }

    /// The seed of a game, counted from 0.
    fn seed(&self, game: u32) -> i32 {
        self.first_seed + if self.rotate { game / rotation::MATCHES } else { game } as i32
    }

    /// The bots by their seats in a game, counted from 0, as places in the list that was typed.
    fn places(&self, game: u32) -> BySeat<usize> {
        rotation::places(if self.rotate { game } else { 0 })
    }

    /// Plays the games until all are over or `stop` is set, with a line of progress on a terminal.
    fn play_all(&self, stop: &AtomicBool) -> anyhow::Result<SeriesTally> {
        let size = match self.contestants {
            Contestants::BuiltIn(_) => (self.games / (self.threads as u32 * 64)).clamp(1, MAX_CHUNK),
            Contestants::Programs(_) => 1,
        };
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
            let (seed, places) = (self.seed(number), self.places(number));
            let first = Seat::ALL.into_iter().find(|&seat| places[seat] == 0).expect("every bot has a seat");
            let map = self.maps.map(seed)?;
            let game = match &self.contestants {
                Contestants::BuiltIn(bots) => {
                    let mut game = Game::new(map.maze, map.start);
                    let mut agents = BySeat::from_fn(|seat| bots.0[places[seat]].start());
                    let goes_on = || !stop.load(Ordering::Relaxed);
                    play_to_end(&mut game, |game, seat| agents[seat](game, seat, seed), goes_on).then_some(game)
                }
                Contestants::Programs(programs) => {
                    let played = programs.play(map, places, first, &lost::file_name(seed, first), stop)?;
                    played.map(|PlayedMatch { game, faults }| {
                        tally.count_faults(number, places, faults);
                        game
                    })
                }
            };
            let Some(game) = game else { break };
            tally.count(&game, self.games - 1 - number);
            let hundredths = game.scores()[first].hundredths;
            tally.keep_worst(WorstGame { hundredths, number, seat: first });
            if self.rotate {
                tally.rotated.push(rotation::MatchResult::from_game(&game, number));
            }
        }
        Ok(tally)
    }
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
            Maps::Fixed { maze: map_source::with_turn_limit(map.maze, turns)?, start: map.start }
        };
        Ok((map.seed, maps))
    }

    /// The map of a seed.
    fn map(&self, seed: i32) -> anyhow::Result<Map> {
        match self {
            Maps::Generated { size, ruleset } => map_source::generate(seed, *size, *ruleset),
            Maps::GeneratedAs { file, turns, base } => {
                let (mut map, _) = file.map(Seed { given: Some(seed), default: seed }, *base)?;
                map.maze = map_source::with_turn_limit(map.maze, *turns)?;
                Ok(map)
            }
            Maps::Fixed { maze, start } => Ok(Map { seed, maze: maze.clone(), start: *start }),
        }
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
            let [rate, low, high] = win_rate(tally.firsts, *games).map(rounded);
            json!({
                "name": self.series.names[seat.index()],
                "mean_score": rounded(tally.mean_score(*games)),
                "standard_error": tally.standard_error(*games).map(rounded),
                "mean_place": rounded(mean(tally.places as f64, *games)),
                "win_rate": { "value": rate, "low": low, "high": high },
                "mean_strength": rounded(mean(tally.strength as f64, *games)),
            })
        };
        let worst = |game: &WorstGame| {
            let points = game.hundredths as f64 / 100.0;
            json!({ "seed": self.series.seed(game.number), "seat": game.seat.index(), "score": points, "replay": self.replay_of(game) })
        };
        let fault = |(&(bot, kind), fault): (&(usize, &'static str), &FaultTally)| {
            json!({
                "bot": self.series.names[bot], "kind": kind, "games": fault.games, "seed": self.series.seed(fault.number),
                "turn": fault.turn, "complaint": fault.complaint,
            })
        };
        json!({
            "seed": self.series.first_seed,
            "games": games,
            "finished": self.is_finished(),
            "turns": turns,
            "time_ms": rounded(1000.0 * self.time.as_secs_f64()),
            "games_per_second": self.games_per_second().round(),
            "parallel": self.series.threads,
            "seats": (!self.series.rotate).then(|| Seat::ALL.map(seat)),
            "rotated": self.series.rotate.then(|| self.rotated().json()),
            "checksum": self.checksum(),
            "faults": self.tally.faults.iter().map(fault).collect::<Vec<_>>(),
            "worst": self.tally.worst.iter().map(worst).collect::<Vec<_>>(),
        })
    }

    fn print_table(&self, out: &mut impl Write) -> io::Result<()> {
        let SeriesTally { games, turns, .. } = &self.tally;
        if self.series.rotate {
            self.rotated().print(out)?
        } else {
            self.print_seats(out)?
        }
        self.print_faults(out)?;
        if matches!(self.series.contestants, Contestants::Programs(_)) {
            self.print_worst(out)?;
        }
        if !self.is_finished() {
            writeln!(out, "Interrupted: {games} of {} games were played.", self.series.games)?;
        }
        let (first, last) = (self.series.first_seed, self.series.seed(self.series.games - 1));
        let (seconds, speed, threads) = (self.time.as_secs_f64(), self.games_per_second(), self.series.threads);
        let checksum = self.checksum().map_or_else(String::new, |checksum| format!(", checksum {checksum}"));
        writeln!(out, "games {games}, seeds {first} to {last}, turns {turns}{checksum}")?;
        writeln!(out, "{seconds:.2} s, {speed:.0} games per second, {threads} at a time")
    }

    fn print_seats(&self, out: &mut impl Write) -> io::Result<()> {
        let (games, seats) = (self.tally.games, &self.tally.seats);
        writeln!(out, "seat  bot                         score   ± 95 %  place    firsts  strength")?;
        for (seat, tally) in seats.iter() {
            let name = fit_column(&self.series.names[seat.index()], 24);
            let score = tally.mean_score(games);
            let margin = tally.standard_error(games).and_then(|error| margin(error, games as usize));
            let margin = margin.map_or("–".to_owned(), |margin| format!("{margin:.2}"));
            let place = mean(tally.places as f64, games);
            let strength = mean(tally.strength as f64, games);
            writeln!(
                out,
                "{:>4}  {name} {score:>8.2} {margin:>8} {place:>6.2} {:>9} {strength:>9.2}",
                seat.index(),
                tally.firsts
            )?;
        }
        if games > 0 {
            let [rate, low, high] = win_rate(seats[Seat::S0].firsts, games).map(|share| 100.0 * share);
            let name = sanitize(&self.series.names[0]);
            writeln!(out, "{name} on seat 0 was first in {rate:.1} % of the games ({low:.1} to {high:.1} %)")?;
        }
        Ok(())
    }

    /// Prints the faults of each bot by their kinds, with an example.
    fn print_faults(&self, out: &mut impl Write) -> io::Result<()> {
        for ((bot, kind), FaultTally { games, number, turn, complaint }) in &self.tally.faults {
            let (name, games) = (sanitize(&self.series.names[*bot]), counted(*games as usize, "game"));
            let (seed, complaint) = (self.series.seed(*number), sanitize(complaint));
            writeln!(out, "{name}: {kind} in {games}, such as with seed {seed} in turn {turn}: {complaint}")?;
        }
        Ok(())
    }

    /// Prints the games in which the first bot had its lowest scores, with the command that shows each.
    fn print_worst(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "worst games of {}:", sanitize(&self.series.names[0]))?;
        for game in &self.tally.worst {
            let score = game.hundredths as f64 / 100.0;
            writeln!(out, "{score:>8.2} points  {}", self.command_for(game))?;
        }
        Ok(())
    }

    /// Returns the replay of a game, if there is one.
    fn replay_of(&self, game: &WorstGame) -> Option<String> {
        let Contestants::Programs(programs) = &self.series.contestants else { return None };
        let file = programs.lost.as_ref()?.join(lost::file_name(self.series.seed(game.number), game.seat));
        file.is_file().then(|| file.display().to_string())
    }

    /// Returns the command that opens the replay of a game, or plays it again.
    fn command_for(&self, game: &WorstGame) -> String {
        let Series { names, of_single, .. } = self.series;
        let words = match self.replay_of(game) {
            Some(file) => ["open", &file].map(str::to_owned).to_vec(),
            None => {
                let places = self.series.places(game.number);
                let bots = Seat::ALL.map(|seat| names[places[seat]].clone());
                let seed = ["--seed".to_owned(), self.series.seed(game.number).to_string(), "--open".to_owned()];
                [&["play".to_owned()], &bots[..], of_single, &seed].concat()
            }
        };
        let words = words.iter().map(|word| shlex::try_quote(word).map_or_else(|_| word.clone(), |word| word.into_owned()));
        sanitize(&format!("pacman2 {}", words.collect::<Vec<_>>().join(" ")))
    }
}

/// Rounds to six decimals, which is more than the precision of these numbers.
fn rounded(number: f64) -> f64 {
    position::rounded(number, 6)
}
