//! What is kept of a match: enough to play it again, and what its bots' authors want to know. `docs/REPLAY.md` describes
//! the format.

use std::fmt;

use botzone::action;
use botzone::answer::{Heard, Verdict};
use botzone::init_data;
use botzone::match_log::{Logged, MatchLog};
use botzone::turn::{Table, Turn};
use maps::Map;
use rules::{BySeat, Cause, Event, LightOnTheForfeited, Score, Seat};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::player::Cost;
use crate::referee::Played;

/// The name of the format, the first thing in a replay.
pub const FORMAT: &str = "pacman2 replay";
/// The version that is written; no other one can be read yet.
pub const VERSION: u32 = 1;

/// The verdict of who gave an order that was understood, but not legal. Botzone's own verdict of such a run is OK.
const ILLEGAL: &str = "ILLEGAL";

/// The record of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What the same seed and the same deterministic bots make the same, byte for byte, on every machine.
    pub public: Public,
    /// What this one run measured.
    #[serde(default)]
    pub private: Private,
}

/// The part of a replay from which the match can be played again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Public {
    /// The map, as Botzone's init data.
    pub init: Value,
    /// The ruling about light on the forfeited: `sample`, `judge` or `prose`.
    pub ruling: String,
    /// Who sat where.
    pub seats: [SeatInfo; 4],
    /// What the bots were allowed for one answer, before their language's factor.
    pub limits: LimitsInfo,
    /// The turns in order.
    pub turns: Vec<TurnInfo>,
    /// The scores in points; `null` if the match was abandoned.
    pub scores: Option<[f64; 4]>,
}

/// Who sat on a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatInfo {
    /// The bot's name.
    pub name: String,
    /// SHA-256 of its program as 64 hexadecimal digits, `built-in` and a version, or `null` where it is not known.
    pub program: Option<String>,
}

/// Limits; `null` where there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "crate::limits::Limits tells what each of them is")]
pub struct LimitsInfo {
    pub time_ms: Option<u64>,
    pub memory_mb: Option<u64>,
    pub output_bytes: Option<u64>,
}

impl From<Limits> for LimitsInfo {
    fn from(limits: Limits) -> LimitsInfo {
        LimitsInfo {
            time_ms: limits.wall.map(|wall| wall.as_millis() as u64),
            memory_mb: limits.memory_bytes.map(|bytes| bytes / (1024 * 1024)),
            output_bytes: limits.output_bytes,
        }
    }
}

/// One turn. Lists have a value for each seat, `null` for the dead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnInfo {
    /// What was asked for, as Botzone's numbers; −10 where nothing could be understood.
    pub actions: [Option<i32>; 4],
    /// `OK`, `TLE`, `MLE`, `OLE`, `NJ`, `RE` or `ILLEGAL`.
    pub verdicts: [Option<String>; 4],
    /// What was taunted.
    #[serde(default, skip_serializing_if = "is_silent")]
    pub taunts: [Option<String>; 4],
    /// The [fingerprint](rules::State::fingerprint) of the position after the turn, 16 hexadecimal digits.
    pub position: String,
}

fn is_silent(taunts: &[Option<String>; 4]) -> bool {
    taunts.iter().all(Option::is_none)
}

/// The part of a replay that differs from run to run.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Private {
    /// For each turn and seat what the answer cost and what else the bot said.
    pub turns: Vec<[Option<Backstage>; 4]>,
}

/// What a bot's author wants to know of an answer.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Backstage {
    /// Time on the clock, in microseconds.
    pub wall_us: u64,
    /// CPU time, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The part of it that was used while others thought, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_between_turns_us: Option<u64>,
    /// Peak memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes on standard output.
    pub output_bytes: u64,
    /// What was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
    /// The bot's `debug`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug: Option<Value>,
    /// Its standard error, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// What it wrote, where something was wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// What is wrong with a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError(String);

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReplayError {}

impl Replay {
    /// The record of a match that was played.
    pub fn new(map: &Map, seats: BySeat<SeatInfo>, limits: LimitsInfo, turns: &[Played]) -> Replay {
        let private = Private { turns: turns.iter().map(private_turn).collect() };
        Replay::assemble(map, seats, limits, turns.iter().map(|played| &played.turn), private)
    }

    fn assemble<'a>(
        map: &Map,
        seats: BySeat<SeatInfo>,
        limits: LimitsInfo,
        turns: impl DoubleEndedIterator<Item = &'a Turn> + Clone,
        private: Private,
    ) -> Replay {
        let scores = turns.clone().next_back().and_then(|turn| turn.scores);
        Replay {
            format: FORMAT.to_owned(),
            version: VERSION,
            public: Public {
                init: init_data::write(map),
                ruling: map.arena.settings().light_on_the_forfeited.name().to_owned(),
                seats: seats.0,
                limits,
                turns: turns.map(public_turn).collect(),
                scores: scores.map(points),
            },
            private,
        }
    }

    /// Reads a replay. It is JSON of the right shape then, and its map can be played; whether the turns agree with the
    /// rules, [`Replay::verify`] tells.
    pub fn read(text: &str) -> Result<Replay, ReplayError> {
        #[derive(Deserialize)]
        struct Head {
            format: Option<String>,
            version: Option<u32>,
        }
        let broken = |error: serde_json::Error| ReplayError(format!("this is no replay: {error}"));
        let head: Head = serde_json::from_str(text).map_err(broken)?;
        if head.format.as_deref() != Some(FORMAT) {
            return Err(ReplayError(format!("this is no replay: the key format with the value \"{FORMAT}\" is missing")));
        }
        if head.version != Some(VERSION) {
            let version = head.version.map_or("missing".to_owned(), |version| version.to_string());
            return Err(ReplayError(format!("the replay's version is {version}; version {VERSION} can be read")));
        }
        let replay: Replay = serde_json::from_str(text).map_err(broken)?;
        replay.map()?;
        Ok(replay)
    }

    /// The replay as text: JSON, with a line for each turn.
    pub fn write(&self) -> String {
        let Replay { format, version, public, private } = self;
        let turns = public.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        let backstage = private.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        format!(
            "{{\"format\":{},\"version\":{},\"public\":{{\n\"init\":{},\n\"ruling\":{},\n\"seats\":{},\n\"limits\":{},\n\"turns\":[\n{turns}\n],\n\
             \"scores\":{}}},\n\"private\":{{\"turns\":[\n{backstage}\n]}}}}\n",
            line(format),
            line(version),
            line(&public.init),
            line(&public.ruling),
            line(&public.seats),
            line(&public.limits),
            line(&public.scores),
        )
    }

    /// The map the match began with.
    pub fn map(&self) -> Result<Map, ReplayError> {
        let ruling = LightOnTheForfeited::from_name(&self.public.ruling).ok_or_else(|| {
            ReplayError(format!("the ruling is \"{}\"; sample, judge and prose are possible", self.public.ruling))
        })?;
        match init_data::read(&self.public.init, 0, ruling) {
            Ok((map, _)) => Ok(map),
            Err(refusal) => Err(ReplayError(format!("the replay's map cannot be played: {refusal}"))),
        }
    }

    /// Plays the match again, turn by turn, and returns what came of each, or tells the first turn that differs from what
    /// the replay says.
    pub fn verify(&self) -> Result<Vec<Turn>, ReplayError> {
        let mut turns = Vec::new();
        let mut table = Table::new(self.map()?);
        for (number, told) in (1..).zip(&self.public.turns) {
            let differs = |what: String| ReplayError(format!("turn {number} differs: {what}"));
            let heard = told.heard().map_err(&differs)?;
            let alive = table.game().state().alive;
            if let Some(seat) = Seat::ALL.into_iter().find(|&seat| heard[seat].is_some() != alive.contains(seat)) {
                let (condition, words) = if alive.contains(seat) { ("alive", "no action") } else { ("dead", "an action") };
                return Err(differs(format!("player {seat} is {condition} and the replay has {words} of it")));
            }
            let turn = table.play(&heard).ok_or_else(|| differs("the game was over before".to_owned()))?;
            let ours = public_turn(&turn);
            if ours.position != told.position {
                return Err(differs(format!("the position is {} by the rules, {} in the replay", ours.position, told.position)));
            }
            if ours.verdicts != told.verdicts {
                let [ours, told] = [&ours.verdicts, &told.verdicts].map(line);
                return Err(differs(format!("the verdicts are {ours} by the rules, {told} in the replay")));
            }
            turns.push(turn);
        }
        let ours = turns.last().and_then(|turn| turn.scores).map(points);
        match (&ours, &self.public.scores) {
            (ours, told) if ours == told => Ok(turns),
            (None, _) => {
                Err(ReplayError(format!("turn {} is missing: the game is not over, yet there are scores", turns.len() + 1)))
            }
            (ours, told) => Err(ReplayError(format!("the scores are {} by the rules, {} in the replay", line(ours), line(told)))),
        }
    }

    /// The match as Botzone logs it.
    pub fn to_match_log(&self) -> Result<MatchLog, ReplayError> {
        let turns = self.verify()?;
        let backstage = |number: usize, seat: Seat| self.private.turns.get(number).and_then(|turn| turn[seat.index()].as_ref());
        let logged = |number: usize, turn: &Turn, seat: Seat| {
            let heard = turn.heard[seat].clone()?;
            let (verdict, response) = match &heard {
                Heard::Nothing(verdict) => (*verdict, Value::Null),
                Heard::Action { number, taunt: Some(taunt) } => (Verdict::Ok, json!({ "action": number, "tauntText": taunt })),
                Heard::Action { number, taunt: None } => (Verdict::Ok, json!({ "action": number })),
            };
            let backstage = backstage(number, seat);
            Some(Logged {
                heard,
                verdict,
                response,
                debug: backstage.and_then(|backstage| backstage.debug.clone()),
                time_ms: backstage.map(|backstage| backstage.wall_us / 1000),
                memory_mb: backstage.and_then(|backstage| backstage.memory_bytes).map(|bytes| bytes / (1024 * 1024)),
            })
        };
        Ok(MatchLog {
            id: None,
            map: self.map()?,
            names: BySeat(self.public.seats.clone().map(|seat| Some(seat.name))),
            turns: (0..).zip(&turns).map(|(number, turn)| BySeat::from_fn(|seat| logged(number, turn, seat))).collect(),
        })
    }

    /// The replay of a match that Botzone logged.
    pub fn from_match_log(log: &MatchLog) -> Replay {
        let backstage = |logged: &Option<Logged>| {
            let logged = logged.as_ref()?;
            Some(Backstage {
                wall_us: logged.time_ms.unwrap_or_default().saturating_mul(1000),
                memory_bytes: logged.memory_mb.map(|mb| mb.saturating_mul(1024 * 1024)),
                debug: logged.debug.clone(),
                ..Backstage::default()
            })
        };
        let private = Private { turns: log.turns.iter().map(|turn| turn.0.each_ref().map(backstage)).collect() };
        let seats = BySeat::from_fn(|seat| SeatInfo { name: log.name(seat), program: None });
        Replay::assemble(&log.map, seats, LimitsInfo::default(), log.replay().iter(), private)
    }
}

impl TurnInfo {
    fn heard(&self) -> Result<BySeat<Option<Heard>>, String> {
        let mut heard = BySeat::default();
        for seat in Seat::ALL {
            let index = seat.index();
            heard[seat] = match (self.actions[index], self.verdicts[index].as_deref()) {
                (None, None) => None,
                (Some(action::UNREADABLE), Some(ILLEGAL)) => Some(Heard::Nothing(Verdict::Ok)),
                (Some(number), Some("OK" | ILLEGAL)) => Some(Heard::Action { number, taunt: self.taunts[index].clone() }),
                (Some(action::UNREADABLE), Some(name)) => {
                    let verdict =
                        Verdict::from_name(name).ok_or_else(|| format!("player {seat} has an unknown verdict \"{name}\""))?;
                    Some(Heard::Nothing(verdict))
                }
                _ => return Err(format!("player {seat}'s action and verdict do not fit each other")),
            };
        }
        Ok(heard)
    }
}

fn public_turn(turn: &Turn) -> TurnInfo {
    let illegal = |seat: Seat| {
        let of_seat =
            |event: &Event| matches!(event, Event::Died { seat: dead, cause: Cause::IllegalOrder { .. }, .. } if *dead == seat);
        turn.report.events.iter().any(of_seat)
    };
    let verdict = |seat: Seat| match turn.heard[seat].as_ref()? {
        Heard::Nothing(verdict) if *verdict != Verdict::Ok => Some(verdict.name().to_owned()),
        _ => Some(if illegal(seat) { ILLEGAL } else { Verdict::Ok.name() }.to_owned()),
    };
    let number = |seat: Seat| match turn.heard[seat].as_ref()? {
        Heard::Nothing(_) => Some(action::UNREADABLE),
        Heard::Action { number, .. } => Some(*number),
    };
    let taunt = |seat: Seat| match turn.heard[seat].as_ref()? {
        Heard::Action { taunt, .. } => taunt.clone().filter(|taunt| !taunt.is_empty()),
        Heard::Nothing(_) => None,
    };
    TurnInfo {
        actions: Seat::ALL.map(number),
        verdicts: Seat::ALL.map(verdict),
        taunts: Seat::ALL.map(taunt),
        position: format!("{:016x}", turn.state.fingerprint()),
    }
}

fn private_turn(played: &Played) -> [Option<Backstage>; 4] {
    let us = |time: std::time::Duration| time.as_micros() as u64;
    played.said.clone().0.map(|said| {
        let said = said?;
        let Cost { wall, cpu, cpu_between_turns, memory_bytes, output_bytes } = said.cost;
        Some(Backstage {
            wall_us: us(wall),
            cpu_us: cpu.map(us),
            cpu_between_turns_us: cpu_between_turns.map(us),
            memory_bytes,
            output_bytes,
            // Of an answer with nothing wrong about it, the rest of the replay tells enough.
            output: said.complaint.as_ref().map_or_else(String::new, |_| said.output),
            complaint: said.complaint,
            debug: said.debug,
            stderr: said.stderr,
        })
    })
}

fn points(scores: BySeat<Score>) -> [f64; 4] {
    scores.0.map(|score| score.hundredths as f64 / 100.0)
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data always has a JSON form")
}
