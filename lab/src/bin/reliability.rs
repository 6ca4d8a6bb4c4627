//! Measures how far analyses can be relied on.
//!
//!     cargo run --release -p lab --bin reliability -- 2000 20000 200
//!     cargo run --release -p lab --bin reliability -- 2000 100ms 200
//!
//! The numbers are positions, the effort for each as simulations or time, and how many of the positions are analysed with 20 times
//! the effort as well. In every other game, four bots `random` play; in the rest, built-in bots drawn at random, `sage` with 100
//! simulations. Four positions are drawn from each game. Everything is the same every time, except with a time.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use pacman2_analysis::position::{Analyst, AssessedAction, PlayedTurn, ScoreEstimate};
use pacman2_bots::sage::Sage;
use pacman2_bots::{BUILT_IN, Effort};
use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The seed of the first game's map.
const FIRST_SEED: i32 = 9_000_000;
const POSITIONS_PER_GAME: usize = 4;
const LONGER: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [positions, effort, longer] = &arguments[..] else {
        return Err("expected positions, simulations or milliseconds such as 100ms, and positions with a longer search".into());
    };
    let (positions, longer): (usize, usize) = (positions.parse()?, longer.parse()?);
    let effort = match effort.strip_suffix("ms") {
        Some(ms) => Effort::Time(Duration::from_millis(ms.parse()?)),
        None => Effort::Simulations(effort.parse()?),
    };
    let positions: Vec<Position> = (FIRST_SEED..).flat_map(positions_of_game).take(positions).collect();

    let mut analysts = [effort, effort, multiplied(effort)].map(Analyst::new);
    let begin = Instant::now();
    let [first, second] =
        [0, 1].map(|run| positions.iter().map(|position| position.analysis(&mut analysts[run])).collect::<Vec<_>>());
    let each = begin.elapsed() / (2 * positions.len().max(1)) as u32;

    let all: Vec<SeatTurn> = first.iter().zip(&second).flat_map(|(analysis, other)| SeatTurn::all(analysis, other)).collect();
    let worse = all.iter().filter(|turn| turn.is_first_worse()).count();
    let differing = all.iter().filter(|turn| turn.one[0].action != turn.other[0].action).count();
    println!("{} positions, {each:.0?} for each analysis, {} seat-turns with a choice", positions.len(), all.len());
    println!("first action significantly worse than another, by the same numbers: {worse}");
    println!("two runs: {} positions differ", first.iter().zip(&second).filter(|(one, other)| one != other).count());
    println!("two runs: {differing} first actions differ");
    println!("two runs: {} and {} mistakes", mistakes(&first), mistakes(&second));

    let step = (positions.len() / longer.max(1)).max(1);
    let sample: Vec<usize> = (0..positions.len()).step_by(step).take(longer).collect();
    let (mut compared, mut worse, mut lost) = (0, 0, 0.0);
    for &number in &sample {
        let long = positions[number].analysis(&mut analysts[2]);
        for turn in SeatTurn::all(&first[number], &long) {
            let first = turn.other.iter().find(|option| option.action == turn.one[0].action);
            if let (Some(best), Some(own)) = (turn.other[0].estimate, first.and_then(|option| option.estimate)) {
                compared += 1;
                worse += usize::from(is_any_above(turn.other, own));
                lost += (best.points - own.points).max(0.0);
            }
        }
    }
    println!("{LONGER} times the effort in {} positions, {compared} seat-turns with a choice:", sample.len());
    println!(
        "first action significantly worse there: {worse}; it loses {:.2} points on average",
        lost / f64::from(compared.max(1_u32))
    );

    let mut accuracies: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (position, analysis) in positions.iter().zip(&first) {
        for seat in Seat::ALL {
            accuracies.entry(position.bots[seat.index()]).or_default().extend(analysis.accuracies[seat]);
        }
    }
    for (bot, each) in accuracies {
        let sum = each.iter().fold(0.0, |sum, accuracy| sum + accuracy);
        println!("accuracy of {bot}: {:.1} in {} turns", sum / each.len().max(1) as f64, each.len());
    }
    Ok(())
}

fn multiplied(effort: Effort) -> Effort {
    match effort {
        Effort::Simulations(number) => Effort::Simulations(LONGER * number),
        Effort::Time(time) => Effort::Time(LONGER * time),
    }
}

/// A position in which four players act.
struct Position {
    game: Game,
    turn: u32,
    given: [Option<i32>; 4],
    bots: [&'static str; 4],
}

impl Position {
    fn analysis(&self, analyst: &mut Analyst) -> PlayedTurn {
        analyst.analyse_played(&self.game, self.turn, self.given, || true)
    }
}

/// Plays a game and draws positions from it.
fn positions_of_game(seed: i32) -> Vec<Position> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed as u64);
    let mut below = |number: usize| (random.next_u64() % number as u64) as usize;
    let map = Map::generate(seed, MapSize::default(), Ruleset::default()).expect("Botzone's sizes can be generated");
    let mut game = Game::new(map.maze, map.start);
    let drawn: [usize; 4] = std::array::from_fn(|_| below(BUILT_IN.len()));
    let bots = drawn.map(|number| &BUILT_IN[if seed % 2 == 0 { 0 } else { number }]);
    let mut searching = bots.map(|_| Sage::new(Effort::Simulations(100)));
    let mut given = Vec::new();
    while !game.is_over() {
        let chosen = BySeat::from_fn(|seat| {
            let decide = || match bots[seat.index()].name {
                "sage" => searching[seat.index()].decide(&game, seat, seed),
                _ => (bots[seat.index()].decide)(&game, seat, seed),
            };
            game.state().alive.contains(seat).then(decide)
        });
        given.push(chosen.0.map(|action| action.map(action::to_number)));
        game.play(&chosen.map(|action| action.unwrap_or(Action::Stay)));
    }
    let turns: Vec<usize> = (0..POSITIONS_PER_GAME).map(|_| below(given.len())).collect();
    let position = |turn: usize| Position {
        game: game.before(turn + 1),
        turn: turn as u32 + 1,
        given: given[turn],
        bots: bots.map(|bot| bot.name),
    };
    turns.into_iter().map(position).collect()
}

/// What two analyses say about a seat with a choice: its actions, the best first.
struct SeatTurn<'a> {
    one: &'a [AssessedAction],
    other: &'a [AssessedAction],
}

impl<'a> SeatTurn<'a> {
    fn all(one: &'a PlayedTurn, other: &'a PlayedTurn) -> impl Iterator<Item = SeatTurn<'a>> {
        let turns = Seat::ALL.map(|seat| SeatTurn { one: &one.analysis.seats[seat], other: &other.analysis.seats[seat] });
        turns.into_iter().filter(|turn| turn.one.len() > 1)
    }

    fn is_first_worse(&self) -> bool {
        self.one[0].estimate.is_some_and(|first| is_any_above(self.one, first))
    }
}

/// Returns whether any of these actions is significantly better than one with this estimate.
fn is_any_above(options: &[AssessedAction], than: ScoreEstimate) -> bool {
    options.iter().filter_map(|option| option.estimate).any(|estimate| estimate.is_significantly_above(than))
}

/// The number of actions that lost points.
fn mistakes(analyses: &[PlayedTurn]) -> usize {
    analyses.iter().flat_map(|turn| turn.losses.0).flatten().filter(|loss| loss.points > 0.0).count()
}
