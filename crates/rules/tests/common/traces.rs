//! Reads the traces: games of the original C++ sample program.
//!
//! `fixtures/make.py` made the fixtures; its first lines describe the format.

#![allow(dead_code, reason = "each test binary uses part of it")]

use pacman2_rules::{
    Action, BySeat, Cause, CellSet, Direction, Event, Fnv1a, Fruit, Maze, MazeSpec, Report, Ruleset, Seat, SeatSet, Square,
    State, Walls,
};

/// The `change` of each player in the sample program's log: 1 for small fruit eaten, 2 for large fruit, 4 for a boost that
/// counted down, 8 for a death, 16 for an illegal action.
pub(crate) fn change_bits(report: &Report) -> BySeat<u8> {
    let mut bits = BySeat([0; 4]);
    for event in &report.events {
        match *event {
            Event::Ate { seat, fruit, .. } => bits[seat] |= if fruit == Fruit::Small { 1 } else { 2 },
            Event::BoostCounted { seat, .. } => bits[seat] |= 4,
            Event::Died { seat, cause: Cause::IllegalAction { .. }, .. } => bits[seat] |= 16,
            Event::Died { seat, .. } => bits[seat] |= 8,
            _ => {}
        }
    }
    bits
}

/// A file of traces.
pub(crate) struct Fixture {
    pub(crate) file: &'static str,
    text: &'static str,
    games: usize,
    turns: usize,
}

pub(crate) const BOTZONE_MAPS: Fixture =
    Fixture { file: "botzone-maps.txt", text: include_str!("../../fixtures/botzone-maps.txt"), games: 150, turns: 10_860 };

pub(crate) const ODD_SETTINGS: Fixture =
    Fixture { file: "odd-settings.txt", text: include_str!("../../fixtures/odd-settings.txt"), games: 100, turns: 7_710 };

impl Fixture {
    /// Reads all games, and checks their number, their turns and their hashes.
    pub(crate) fn read(&self) -> Vec<Trace> {
        let Fixture { file, text, games, turns } = *self;
        let lines: Vec<&str> = text.lines().collect();
        let traces: Vec<Trace> = lines.split_inclusive(|line| line.starts_with("end ")).map(Trace::read).collect();
        assert_eq!((traces.len(), traces.iter().map(|trace| trace.turns.len()).sum()), (games, turns), "{file}: games, turns");
        for trace in &traces {
            let mut hash = Fnv1a::new();
            trace.turns.iter().for_each(|(_, after)| hash.write(after.canonical().as_bytes()));
            assert_eq!(hash.finish(), trace.hash, "{file}, {}: the fixture was misread", trace.name);
        }
        traces
    }
}

/// A game of the sample program.
pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) maze: Maze,
    pub(crate) start: State,
    pub(crate) turns: Vec<(BySeat<Action>, Snapshot)>,
    /// The hash of the original trace.
    hash: u64,
}

impl Trace {
    fn read(lines: &[&str]) -> Trace {
        let [head, squares, content, turns @ .., end] = lines else { panic!("a game is cut off: {lines:?}") };
        let (name, numbers) = head.split_once(": ").unwrap();
        let (size, settings) = numbers.split_once(' ').unwrap();
        let (width, height) = size.split_once('x').unwrap();
        let [_, light, _, interval, _, duration, _, boost] = settings.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{name}: bad settings {settings}")
        };
        let plan = MazeSpec {
            width: width.parse().unwrap(),
            height: height.parse().unwrap(),
            squares: matrix(squares).into_iter().flatten().map(square).collect(),
            ruleset: Ruleset {
                generator_interval: interval.parse().unwrap(),
                large_fruit_duration: duration.parse().unwrap(),
                large_fruit_enhancement: boost.parse().unwrap(),
                skill_cost: light.parse().unwrap(),
                ..Ruleset::default()
            },
        };
        let maze = Maze::new(&plan).unwrap();
        let start = start(&maze, &matrix(content));
        let mut before = Snapshot::take(&maze, &start, &Report::default());
        let mut read = Vec::new();
        for (number, line) in (1..).zip(turns) {
            let (actions, mut after) = before.read_next(line, &maze);
            after.continues = number < turns.len();
            before = after.clone();
            read.push((actions, after));
        }
        let hash = u64::from_str_radix(end.strip_prefix("end ").unwrap(), 16).unwrap();
        Trace { name: name.to_owned(), maze, start, turns: read, hash }
    }
}

/// A position and the turn before it, as a trace has them.
#[derive(Clone)]
pub(crate) struct Snapshot {
    turn: u32,
    alive: usize,
    small_fruits: usize,
    generator_turns_left: u32,
    pub(crate) continues: bool,
    /// Row, column, strength, boost turns left, dead.
    players: [[i32; 5]; 4],
    content: Vec<Vec<u8>>,
    change: [u8; 4],
    strength_delta: [i32; 4],
}

const SMALL: u8 = 16;
const LARGE: u8 = 32;

impl Snapshot {
    pub(crate) fn take(maze: &Maze, state: &State, report: &Report) -> Snapshot {
        let players = Seat::ALL.map(|seat| {
            let player = state.player(seat);
            let place = [maze.row(player.cell), maze.col(player.cell)].map(i32::from);
            [place[0], place[1], player.strength, player.boost_turns_left as i32, i32::from(!player.alive)]
        });
        let mut content = vec![vec![0; maze.width().into()]; maze.height().into()];
        for cell in maze.cells() {
            let players: u8 = state.standing_on(cell).iter().map(|seat| 1 << seat.index()).sum();
            let small = if state.small_fruits.contains(cell) { SMALL } else { 0 };
            let large = if state.large_fruits.contains(cell) { LARGE } else { 0 };
            content[usize::from(maze.row(cell))][usize::from(maze.col(cell))] = players | small | large;
        }
        Snapshot {
            turn: state.turn,
            alive: state.alive.len(),
            small_fruits: state.small_fruits.len() as usize,
            generator_turns_left: state.generator_turns_left,
            continues: !state.is_over(maze),
            players,
            content,
            change: change_bits(report).0,
            strength_delta: report.strength_delta.0,
        }
    }

    pub(crate) fn assert_is(&self, expected: &Snapshot, at: &str) {
        self.assert_is_position_of(expected, at);
        assert_eq!(self.change, expected.change, "{at}: change");
        assert_eq!(self.strength_delta, expected.strength_delta, "{at}: strength_delta");
        assert_eq!(self.canonical(), expected.canonical(), "{at}: anything else");
    }

    /// The same for the position alone, without a report.
    pub(crate) fn assert_is_position_of(&self, expected: &Snapshot, at: &str) {
        assert_eq!(self.players, expected.players, "{at}: players' [row, column, strength, boost turns left, dead]");
        assert_eq!(self.content, expected.content, "{at}: content");
        let [this, other] =
            [self, expected].map(|of| (of.turn, of.alive, of.small_fruits, of.generator_turns_left, of.continues));
        assert_eq!(this, other, "{at}: turn, living, small fruits, generator turns left, continues");
    }

    /// Returns the text that goes into the hash of a game.
    fn canonical(&self) -> String {
        let Snapshot { turn, alive, small_fruits, generator_turns_left, players, content, change, strength_delta, .. } = self;
        let continues = u8::from(self.continues);
        let head = format!("[{turn},{alive},{small_fruits},{generator_turns_left},{continues}");
        format!("{head},{players:?},{content:?},{change:?},{strength_delta:?}]\n").replace(' ', "")
    }

    /// Reads the line of the next turn.
    fn read_next(&self, line: &str, maze: &Maze) -> (BySeat<Action>, Snapshot) {
        let mut after = self.clone();
        after.turn += 1;
        let interval = maze.ruleset().generator_interval;
        after.generator_turns_left = if self.generator_turns_left == 1 { interval } else { self.generator_turns_left - 1 };
        for (row, change) in after.players.iter_mut().zip(&mut after.change) {
            let [_, _, _, boost_turns_left, dead] = row;
            *change = if *boost_turns_left > 0 && *dead == 0 { 4 } else { 0 };
            *boost_turns_left -= i32::from(*change) / 4;
        }
        let mut words = line.split(' ');
        let actions = words.next().unwrap().chars().map(action).collect::<Vec<_>>().try_into().unwrap();
        let mut strength_delta = None;
        while let Some(word) = words.next() {
            if word == "change" {
                after.change = words.next().unwrap().chars().map(digit).collect::<Vec<_>>().try_into().unwrap();
            } else if word == "delta" {
                let numbers = words.next().unwrap().split(',').map(|number| number.parse().unwrap());
                strength_delta = Some(numbers.collect::<Vec<_>>().try_into().unwrap());
            } else if let Some((fruit, places)) = word.split_once(':') {
                for place in places.as_bytes().chunks(2) {
                    let [row, col] = [place[0], place[1]].map(|digit| (digit as char).to_digit(16).unwrap() as usize);
                    after.content[row][col] = digit(fruit.chars().next().unwrap());
                }
            } else {
                let (seat, news) = word.split_at(1);
                read_player(news, &mut after.players[seat.parse::<usize>().unwrap()]);
            }
        }
        after.strength_delta = strength_delta.unwrap_or([0, 1, 2, 3].map(|seat| after.players[seat][2] - self.players[seat][2]));
        after.set_derived();
        (BySeat(actions), after)
    }

    /// Sets the players in the matrix and the counts, which follow from the rest.
    fn set_derived(&mut self) {
        self.content.iter_mut().flatten().for_each(|bits| *bits &= SMALL | LARGE);
        for (seat, &[row, col, .., dead]) in self.players.iter().enumerate() {
            self.content[row as usize][col as usize] |= u8::from(dead == 0) << seat;
        }
        self.alive = self.players.iter().filter(|[.., dead]| *dead == 0).count();
        self.small_fruits = self.content.iter().flatten().filter(|&bits| bits & SMALL != 0).count();
    }
}

/// Reads `@PLACE=STRENGTH+BOOST!`, each part only if it changed.
fn read_player(news: &str, row: &mut [i32; 5]) {
    let mut rest = news;
    if let Some(place) = rest.strip_prefix('@') {
        let (place, more) = place.split_at(2);
        let place = i32::from_str_radix(place, 16).unwrap();
        (row[0], row[1], rest) = (place / 16, place % 16, more);
    }
    if let Some(strength) = rest.strip_prefix('=') {
        let (strength, more) = strength.split_at(strength.find(['+', '!']).unwrap_or(strength.len()));
        (row[2], rest) = (strength.parse().unwrap(), more);
    }
    if let Some(boost) = rest.strip_prefix('+') {
        let (boost, more) = boost.split_at(boost.find('!').unwrap_or(boost.len()));
        (row[3], rest) = (boost.parse().unwrap(), more);
    }
    if let Some(more) = rest.strip_prefix('!') {
        (row[4], rest) = (1, more);
    }
    assert!(rest.is_empty(), "{news} is no news of a player");
}

fn action(symbol: char) -> Action {
    match symbol {
        '.' | '-' => Action::Stay,
        '0'..='3' => Action::Move(Direction::ALL[usize::from(digit(symbol))]),
        '4'..='7' => Action::Shoot(Direction::ALL[usize::from(digit(symbol)) - 4]),
        _ => Action::Invalid,
    }
}

fn square(bits: u8) -> Square {
    let mut walls = Walls::NONE;
    Direction::ALL
        .into_iter()
        .filter(|direction| bits >> direction.index() & 1 != 0)
        .for_each(|direction| walls.insert(direction));
    Square { walls, generator: bits & 16 != 0 }
}

fn start(maze: &Maze, content: &[Vec<u8>]) -> State {
    let cells = || maze.cells().zip(content.iter().flatten());
    let with = |bit: u8| cells().filter(move |(_, bits)| *bits & bit != 0).map(|(cell, _)| cell);
    let places = Seat::ALL.map(|seat| with(1 << seat.index()).next().expect("all four players are in the maze"));
    let start = State::start(maze, BySeat(places), with(SMALL).collect::<CellSet>(), with(LARGE).collect::<CellSet>());
    assert_eq!(start.alive, SeatSet::FULL);
    start
}

fn matrix(rows: &str) -> Vec<Vec<u8>> {
    rows.split(' ').map(|row| row.chars().map(digit).collect()).collect()
}

fn digit(symbol: char) -> u8 {
    let digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    digits.find(symbol).unwrap_or_else(|| panic!("unknown digit {symbol}")) as u8
}
