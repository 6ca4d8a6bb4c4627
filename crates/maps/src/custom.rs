//! Custom maps: init data that a stranger wrote, checked at the door.

use std::fmt;
use std::ops::RangeInclusive;

use pacman2_rules::{ForfeitRuling, Ruleset, Seat};

use crate::{Map, MapSize, SIDES, bits, oddities};

/// A value that a stranger wrote.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum RawValue {
    /// There is none.
    #[default]
    Missing,
    /// A whole number.
    Integer(i64),
    /// A list.
    List(Vec<RawValue>),
    /// Something else, in a few words: "a string", "1.5".
    Other(String),
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawValue::Missing => f.write_str("missing"),
            RawValue::Integer(number) => number.fmt(f),
            RawValue::List(_) => f.write_str("a list"),
            RawValue::Other(words) => words.fmt(f),
        }
    }
}

/// Init data before the door, under the names that it has in Botzone's JSON.
///
/// With `static` and `content` it describes a map; without both, the one that Botzone makes from the seed. Settings that
/// are missing have Botzone's defaults.
#[derive(Clone, PartialEq, Default, Debug)]
#[allow(missing_docs, reason = "Settings and Map tell what each of them is")]
pub struct CustomMap {
    pub seed: RawValue,
    pub width: RawValue,
    pub height: RawValue,
    pub generator_interval: RawValue,
    pub large_fruit_duration: RawValue,
    pub large_fruit_enhancement: RawValue,
    pub skill_cost: RawValue,
    pub max_turn: RawValue,
    pub walls: RawValue,
    pub content: RawValue,
}

/// All that is wrong with a map, a sentence each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapError {
    /// What, where, and what would be accepted.
    pub reasons: Vec<String>,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl std::error::Error for MapError {}

impl CustomMap {
    /// Lets the map in, with a sentence for each thing that looks odd but is played all the same; or says all that is
    /// wrong with it.
    ///
    /// `seed` is taken where the init data has none.
    pub fn validate(&self, seed: i32, forfeit_ruling: ForfeitRuling) -> Result<(Map, Vec<String>), MapError> {
        let mut door = Door::default();
        let seed = door.number("seed", &self.seed, i32::MIN.into()..=i32::MAX.into(), seed.into()) as i32;
        let settings = self.settings(&mut door, forfeit_ruling);
        if self.walls == RawValue::Missing && self.content == RawValue::Missing {
            let size = MapSize { width: door.side("width", &self.width), height: door.side("height", &self.height) };
            door.close()?;
            return Ok((Map::generate(seed, size, settings)?, Vec::new()));
        }
        for (name, side) in [("width", &self.width), ("height", &self.height)] {
            if *side == RawValue::Missing {
                door.refuse(format!("{name} is missing; with static and content it must be given, {}", words(&sides())));
            }
        }
        let (width, height) = (door.side("width", &self.width), door.side("height", &self.height));
        let walls = door.matrix("static", &self.walls, height, width, 31);
        let content = door.matrix("content", &self.content, height, width, 63);
        door.check_generators(&walls);
        door.check_players(&content);
        door.close()?;
        let map = bits::map(seed, width.unwrap_or(*SIDES.start()), &walls, &content, settings)?;
        let warnings = oddities::find(&map, &content);
        Ok((map, warnings))
    }

    fn settings(&self, door: &mut Door, forfeit_ruling: ForfeitRuling) -> Ruleset {
        let default = Ruleset::default();
        let most = i64::from(Ruleset::MAX);
        let mut number = |name, raw: &RawValue, least, default| door.number(name, raw, least..=most, default);
        Ruleset {
            generator_interval: number("GENERATOR_INTERVAL", &self.generator_interval, 1, default.generator_interval.into())
                as u32,
            large_fruit_duration: number(
                "LARGE_FRUIT_DURATION",
                &self.large_fruit_duration,
                0,
                default.large_fruit_duration.into(),
            ) as u32,
            large_fruit_enhancement: number(
                "LARGE_FRUIT_ENHANCEMENT",
                &self.large_fruit_enhancement,
                0,
                default.large_fruit_enhancement.into(),
            ) as i32,
            skill_cost: number("SKILL_COST", &self.skill_cost, 0, default.skill_cost.into()) as i32,
            turn_limit: number("MAX_TURN", &self.max_turn, 1, default.turn_limit.into()) as u32,
            forfeit_ruling: forfeit_ruling,
        }
    }
}

/// Collects the reasons to refuse a map; what is refused is replaced by something harmless, to look on.
#[derive(Default)]
struct Door {
    reasons: Vec<String>,
    more: usize,
}

impl Door {
    /// A map of 121 wrong cells is not told in 121 sentences.
    const MOST_REASONS: usize = 20;

    fn refuse(&mut self, reason: String) {
        if self.reasons.len() < Door::MOST_REASONS {
            self.reasons.push(reason);
        } else {
            self.more += 1;
        }
    }

    /// How many there are, those left out included.
    fn refusals(&self) -> usize {
        self.reasons.len() + self.more
    }

    fn close(mut self) -> Result<(), MapError> {
        if self.reasons.is_empty() {
            return Ok(());
        }
        if self.more > 0 {
            self.reasons.push(format!("and {} more", self.more));
        }
        Err(MapError { reasons: self.reasons })
    }

    fn number(&mut self, name: &str, raw: &RawValue, possible: RangeInclusive<i64>, default: i64) -> i64 {
        match raw {
            RawValue::Missing => default,
            RawValue::Integer(number) if possible.contains(number) => *number,
            _ => {
                self.refuse(format!("{name} is {raw}; {}", words(&possible)));
                default
            }
        }
    }

    fn side(&mut self, name: &str, raw: &RawValue) -> Option<u8> {
        let side = self.number(name, raw, sides(), 0) as u8;
        (side > 0).then_some(side)
    }

    /// The matrix row by row, its cells between 0 and `most`; empty if its size is wrong.
    fn matrix(&mut self, name: &str, raw: &RawValue, height: Option<u8>, width: Option<u8>, most: i64) -> Vec<u8> {
        let RawValue::List(rows) = raw else {
            self.refuse(format!("{name} is {raw}; a list of rows is wanted"));
            return Vec::new();
        };
        let before = self.refusals();
        if let Some(height) = height.filter(|&height| rows.len() != usize::from(height)) {
            self.refuse(format!("{name} has {} rows; the height is {height}", rows.len()));
        }
        let mut cells = Vec::new();
        for (row, raw) in rows.iter().enumerate() {
            let RawValue::List(numbers) = raw else {
                self.refuse(format!("{name} row {row} is {raw}; a list of numbers is wanted"));
                continue;
            };
            if let Some(width) = width.filter(|&width| numbers.len() != usize::from(width)) {
                self.refuse(format!("{name} row {row} has {} numbers; the width is {width}", numbers.len()));
            }
            for (col, number) in numbers.iter().enumerate() {
                match number {
                    RawValue::Integer(bits) if (0..=most).contains(bits) => cells.push(*bits as u8),
                    _ => self.refuse(format!("{name} at row {row}, column {col} is {number}; {}", words(&(0..=most)))),
                }
            }
        }
        if self.refusals() > before { Vec::new() } else { cells }
    }

    fn check_generators(&mut self, walls: &[u8]) {
        let generators = walls.iter().filter(|&bits| bits & bits::GENERATOR != 0).count();
        if generators > 4 {
            self.refuse(format!("static has {generators} generators (16); at most 4 are possible"));
        }
    }

    fn check_players(&mut self, content: &[u8]) {
        if content.is_empty() {
            return;
        }
        for seat in Seat::ALL {
            let bit = bits::player(seat);
            let places = content.iter().filter(|&bits| bits & bit != 0).count();
            if places != 1 {
                self.refuse(format!("content has player {seat} ({bit}) on {places} cells; it must stand on one"));
            }
        }
    }
}

fn sides() -> RangeInclusive<i64> {
    i64::from(*SIDES.start())..=i64::from(*SIDES.end())
}

fn words(possible: &RangeInclusive<i64>) -> String {
    format!("a whole number from {} to {} is possible", possible.start(), possible.end())
}
