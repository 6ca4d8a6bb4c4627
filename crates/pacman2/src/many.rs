//! `pacman2 match --games`: many matches between built-in bots, one after another, and what came of them all.
//!
//! Each is the match that `pacman2 match` plays with its seed, without all that is kept and told of a single one.

mod rotation;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_bots::BotConfig;
use pacman2_maps::MapSize;
use pacman2_rules::{Action, BySeat, Game, Maze, Ruleset, Seat, State};
use serde_json::{Value, json};

use crate::args::MatchArgs;
use crate::board::fit_exactly;
use crate::failure::bad_input;
use crate::map::{self, InitData, Seed};
use crate::play::{INTERRUPTED, stop_on_interrupt};
use crate::progress::{ProgressLine, REDRAW};
use crate::{built_in, judge_turn};

pub(crate) fn run(args: &MatchArgs, games: u32) -> anyhow::Result<ExitCode> {
    let bots = args.bots.iter().map(|text| opponent(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let bots = BySeat(bots.try_into().map_err(|_| bad_input("four bots are wanted"))?);
    if args.rotate && !games.is_multiple_of(rotation::MATCHES) {
        return Err(bad_input(format!("--rotate plays four games on each map; --games {games} is not a multiple of four")));
    }
    let series = Series::new(args, games, bots)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(cores, usize::from).min(games as usize);
    let stop = stop_on_interrupt()?;

    let begin = Instant::now();
    let tally = series.play_all(threads, &stop)?;
    let played = Played { series: &series, tally, time: begin.elapsed(), threads };
    if args.json {
        writeln!(io::stdout(), "{}", played.json())?
    } else {
        played.print_table(&mut io::stdout())?
    }
    Ok(if played.is_finished() { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

fn opponent(text: &str) -> anyhow::Result<BotConfig> {
    let unknown = || bad_input(format!("--games has only built-in bots play each other, and {}", built_in::unknown(text)));
    Ok(built_in::read(text).ok_or_else(unknown)??.opponent)
}

/// Games that differ in their seeds only: each has the seed after that of the game before.
struct Series<'a> {
    names: &'a [String],
    bots: BySeat<BotConfig>,
    games: u32,
    first_seed: i32,
    boards: Boards<'a>,
    /// Whether four games are played with each seed, the bots one seat further each time.
    rotate: bool,
}

/// What the games of a series begin with.
enum Boards<'a> {
    /// Botzone's map of each game's seed.
    Botzone { size: MapSize, settings: Ruleset },
    /// The same, with the settings of a file.
    Settings { file: InitData<'a>, turns: Option<u32>, base: Ruleset },
    /// One and the same map. Only the bots' chance follows from the seed.
    Same { arena: Arc<Maze>, start: State },
}

impl<'a> Series<'a> {
    fn new(args: &'a MatchArgs, games: u32, bots: BySeat<BotConfig>) -> anyhow::Result<Series<'a>> {
        let last_first_seed = i32::MAX - (games as i32 - 1);
        let seed = Seed { given: args.seed, otherwise: judge_turn::seed_of_the_clock().min(last_first_seed) };
        let base = args.ruling.ruleset();
        let (first_seed, boards) = match &args.map {
            Some(file) => Boards::read(InitData::read(file)?, seed, args.turns, base)?,
            None => {
                let settings = Ruleset { turn_limit: args.turns.unwrap_or(base.turn_limit), ..base };
                (seed.given.unwrap_or(seed.otherwise), Boards::Botzone { size: args.size.unwrap_or_default(), settings })
            }
        };
        if first_seed > last_first_seed {
            return Err(bad_input(format!(
                "{games} games from seed {first_seed} on need seeds beyond the last, {}; for so many games the first seed can be {last_first_seed} at most",
                i32::MAX
            )));
        }
        Ok(Series { names: &args.bots, bots, games, first_seed, boards, rotate: args.rotate })
    }

    /// The seed of a game, counted from 0.
    fn seed(&self, game: u32) -> i32 {
        self.first_seed + if self.rotate { game / rotation::MATCHES } else { game } as i32
    }

    /// Who sits where in a game, counted from 0.
    fn seating(&self, game: u32) -> BySeat<&BotConfig> {
        let places = rotation::places(if self.rotate { game } else { 0 });
        BySeat::from_fn(|seat| &self.bots.0[places[seat]])
    }

    /// Plays the games on so many threads, all of them or until `stop` is set, and tells a person on a terminal how far it is.
    fn play_all(&self, threads: usize, stop: &AtomicBool) -> anyhow::Result<Tally> {
        let next = AtomicU32::new(0);
        let (sender, tallies) = mpsc::channel();
        let mut total = Tally::default();
        thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next) = (sender.clone(), &next);
                // Who receives is there until the last thread has sent.
                scope.spawn(move || {
                    let _ = sender.send(self.play_some(next, stop));
                });
            }
            drop(sender);
            let mut progress = ProgressLine::new();
            loop {
                match tallies.recv_timeout(REDRAW) {
                    Ok(tally) => total.add(&tally?),
                    Err(RecvTimeoutError::Timeout) => {
                        let begun = next.load(Ordering::Relaxed).min(self.games);
                        progress.show(format_args!("game {begun} of {}", self.games));
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(total),
                }
            }
        })
    }

    /// Plays the next game that nobody plays, as long as there is one.
    fn play_some(&self, next: &AtomicU32, stop: &AtomicBool) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.games {
                return Ok(tally);
            }
            let seed = self.seed(number);
            let mut game = self.boards.game(seed)?;
            if !play(&mut game, self.seating(number), seed, stop) {
                return Ok(tally);
            }
            tally.count(&game, self.games - 1 - number);
            if self.rotate {
                tally.rotated.push(rotation::Outcome::of(&game, number));
            }
        }
    }
}

/// Plays a game to its end; `false` if it was abandoned.
fn play(game: &mut Game, bots: BySeat<&BotConfig>, seed: i32, stop: &AtomicBool) -> bool {
    let mut minds = BySeat::from_fn(|seat| bots[seat].start());
    while !game.is_over() {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let alive = game.state().alive;
        let decide = |seat| if alive.contains(seat) { minds[seat](game, seat, seed) } else { Action::Stay };
        let actions = BySeat::from_fn(decide);
        game.play(&actions);
    }
    true
}

impl<'a> Boards<'a> {
    /// What a file says, and the seed of the first game.
    fn read(file: InitData<'a>, seed: Seed, turns: Option<u32>, base: Ruleset) -> anyhow::Result<(i32, Boards<'a>)> {
        let (map, warnings) = file.map(seed, base)?;
        file.warn(&warnings);
        let boards = if file.is_made_from_seed() {
            Boards::Settings { file, turns, base }
        } else {
            Boards::Same { arena: Arc::new(map::with_turns(map.maze, turns)?), start: map.start }
        };
        Ok((map.seed, boards))
    }

    /// A game of this seed, before its first turn.
    fn game(&self, seed: i32) -> anyhow::Result<Game> {
        let map = match self {
            Boards::Botzone { size, settings } => map::generate(seed, *size, *settings)?,
            Boards::Settings { file, turns, base } => {
                let (mut map, _) = file.map(Seed { given: Some(seed), otherwise: seed }, *base)?;
                map.maze = map::with_turns(map.maze, *turns)?;
                map
            }
            Boards::Same { arena, start } => return Ok(Game::new(Arc::clone(arena), *start)),
        };
        Ok(Game::new(map.maze, map.start))
    }
}

/// What is counted of games. All of it is whole numbers, and so the same in whatever order the games are added.
#[derive(Default)]
struct Tally {
    games: u32,
    turns: u64,
    seats: BySeat<SeatTally>,
    checksum: u64,
    /// Where the bots changed seats, how each did.
    rotated: Vec<rotation::Outcome>,
}

#[derive(Clone, Copy, Default)]
struct SeatTally {
    /// The sum of the scores, and that of their squares.
    hundredths: i128,
    hundredths_squared: i128,
    /// From the bottom, as scores have them; 4 is best.
    ranks: u64,
    /// From the top, as people count; 1 is best.
    places: u64,
    /// Games in which nobody was stronger in the end. Who shares the first place has it too.
    firsts: u32,
    strength: i64,
}

impl Tally {
    /// Adds a game that is over. `later` games come after it; so each fingerprint is turned in the checksum as often as if
    /// all had been folded in their order.
    fn count(&mut self, game: &Game, later: u32) {
        let state = game.state();
        for (seat, score) in game.scores().iter() {
            let hundredths = i128::from(score.hundredths);
            let strength = state.strength[seat];
            let stronger = state.strength.0.iter().filter(|&&other| other > strength).count();
            self.seats[seat].add(&SeatTally {
                hundredths,
                hundredths_squared: hundredths * hundredths,
                ranks: score.rank.into(),
                places: 1 + stronger as u64,
                firsts: (stronger == 0).into(),
                strength: strength.into(),
            });
        }
        self.games += 1;
        self.turns += u64::from(state.turn);
        self.checksum ^= state.fingerprint().rotate_left(later % u64::BITS);
    }

    fn add(&mut self, other: &Tally) {
        self.games += other.games;
        self.turns += other.turns;
        self.checksum ^= other.checksum;
        self.rotated.extend(&other.rotated);
        for seat in Seat::ALL {
            self.seats[seat].add(&other.seats[seat]);
        }
    }
}

impl SeatTally {
    fn add(&mut self, other: &SeatTally) {
        self.hundredths += other.hundredths;
        self.hundredths_squared += other.hundredths_squared;
        self.ranks += other.ranks;
        self.places += other.places;
        self.firsts += other.firsts;
        self.strength += other.strength;
    }

    /// The mean score in points.
    fn mean_score(&self, games: u32) -> f64 {
        mean(self.hundredths as f64 / 100.0, games)
    }

    /// The standard error of the mean score in points; a single game has none.
    fn standard_error(&self, games: u32) -> Option<f64> {
        let n = f64::from(games);
        let mean = self.hundredths as f64 / n;
        let variance = (self.hundredths_squared as f64 / n - mean * mean).max(0.0) * n / (n - 1.0);
        (games > 1).then(|| (variance / n).sqrt() / 100.0)
    }
}

fn mean(sum: f64, games: u32) -> f64 {
    sum / f64::from(games.max(1))
}

/// A series that was played, or as much of it as was.
struct Played<'a> {
    series: &'a Series<'a>,
    tally: Tally,
    time: Duration,
    threads: usize,
}

impl Played<'_> {
    fn is_finished(&self) -> bool {
        self.tally.games == self.series.games
    }

    fn games_per_second(&self) -> f64 {
        f64::from(self.tally.games) / self.time.as_secs_f64()
    }

    /// The checksum of all games; there is none of some of them.
    fn checksum(&self) -> Option<String> {
        self.is_finished().then(|| format!("{:016x}", self.tally.checksum))
    }

    fn rotated(&self) -> rotation::Summary<'_> {
        rotation::Summary::new(self.series.names, &self.tally.rotated)
    }

    fn json(&self) -> Value {
        let Tally { games, turns, seats, .. } = &self.tally;
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
            "threads": self.threads,
            "seats": (!self.series.rotate).then(|| Seat::ALL.map(seat)),
            "rotated": self.series.rotate.then(|| self.rotated().json()),
            "checksum": self.checksum(),
        })
    }

    fn print_table(&self, out: &mut impl Write) -> io::Result<()> {
        let Tally { games, turns, .. } = &self.tally;
        if self.series.rotate {
            self.rotated().print(out)?
        } else {
            self.print_seats(out)?
        }
        if !self.is_finished() {
            writeln!(out, "Interrupted: only {games} of {} games came to their end.", self.series.games)?;
        }
        let (first, last) = (self.series.first_seed, self.series.seed(self.series.games - 1));
        let (seconds, speed, threads) = (self.time.as_secs_f64(), self.games_per_second(), self.threads);
        let checksum = self.checksum().map_or_else(String::new, |checksum| format!(", checksum {checksum}"));
        writeln!(out, "games {games}, seeds {first} to {last}, turns {turns}{checksum}")?;
        writeln!(out, "{seconds:.2} s, {speed:.0} games a second, threads {threads}")
    }

    fn print_seats(&self, out: &mut impl Write) -> io::Result<()> {
        let (games, seats) = (self.tally.games, &self.tally.seats);
        writeln!(out, "seat  bot                         score   ± 95 %  place    firsts  strength")?;
        for (seat, tally) in seats.iter() {
            let name = fit_exactly(&self.series.names[seat.index()], 24);
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

/// To six decimals, which is more than any of these numbers says.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game that ended with these strengths.
    fn ended(strength: [i32; 4]) -> Game {
        let (arena, state) = pacman2_rules::picture::read(
            "
            turn 100/100
            +---+---+
            | 0   1 |
            +---+---+
            | 2   3 |
            +---+---+
            ",
        )
        .unwrap();
        Game::new(arena, State { strength: BySeat(strength), ..state })
    }

    fn tally(games: &[Game]) -> Tally {
        let mut tally = Tally::default();
        for (game, later) in games.iter().zip((0..games.len() as u32).rev()) {
            tally.count(game, later);
        }
        tally
    }

    #[test]
    fn a_seat_has_its_mean_score_and_the_standard_error_of_it() {
        // Seat 0 scores 40 and 20, seat 3 scores 10 and 70.
        let tally = tally(&[ended([1, 0, 9, 0]), ended([1, 1, 4, 4])]);
        let [first, .., last] = tally.seats.0;
        assert_eq!((first.mean_score(2), first.standard_error(2)), (30.0, Some(10.0)));
        assert_eq!((last.mean_score(2), last.standard_error(2)), (40.0, Some(30.0)));
    }

    #[test]
    fn one_game_has_no_standard_error() {
        assert_eq!(tally(&[ended([1, 2, 3, 4])]).seats[Seat::S0].standard_error(1), None);
    }

    #[test]
    fn shared_places_are_shared_by_all_who_have_them() {
        let tally = tally(&[ended([5, 5, 1, 1])]);
        let told = tally.seats.0.map(|seat| (seat.ranks, seat.places, seat.firsts, seat.strength));
        assert_eq!(told, [(3, 1, 1, 5), (3, 1, 1, 5), (1, 3, 0, 1), (1, 3, 0, 1)]);
    }

    #[test]
    fn games_may_be_added_in_any_order_but_not_change_places() {
        let games: Vec<Game> = (0..70).map(|strength| ended([strength, 1, 1, 1])).collect();
        let in_order = games.iter().fold(0u64, |sum, game| sum.rotate_left(1) ^ game.state().fingerprint());
        let whole = tally(&games);
        assert_eq!(whole.checksum, in_order);

        let (mut odd, mut even) = (Tally::default(), Tally::default());
        for (number, game) in games.iter().enumerate().rev() {
            if number % 2 == 0 { &mut even } else { &mut odd }.count(game, 69 - number as u32);
        }
        odd.add(&even);
        assert_eq!((odd.games, odd.turns, odd.checksum), (70, 7000, in_order));
        assert_eq!(odd.seats[Seat::S0].hundredths_squared, whole.seats[Seat::S0].hundredths_squared);

        let mut swapped = games;
        swapped.swap(3, 4);
        assert_ne!(tally(&swapped).checksum, in_order);
    }
}
