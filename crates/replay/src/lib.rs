//! What is kept of a match: enough to play it again, and what its bots' authors want to know. `docs/REPLAY.md` describes
//! the format.

mod parse;

use std::fmt;

use pacman2_botzone::action;
use pacman2_botzone::init_data;
use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Cause, Event, ForfeitRuling, Ruleset, Score, Seat};
use pacman2_runner::Tier;
use serde::Serialize;
use serde_json::{Value, json};

/// The name of the format, the first thing in a replay.
pub const FORMAT: &str = "pacman2 replay";
/// The version that is written; no other one can be read yet.
pub const VERSION: u32 = 1;

/// The verdict of who gave an order that was understood, but not legal. Botzone's own verdict of such a run is OK.
const ILLEGAL: &str = "ILLEGAL";

/// The record of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What the same seed and the same deterministic bots make the same, byte for byte, on every machine.
    pub public: PublicPart,
    /// What this one run measured.
    pub private: PrivatePart,
}

/// The part of a replay from which the match can be played again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublicPart {
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatInfo {
    /// The bot's name.
    pub name: String,
    /// SHA-256 of its program as 64 hexadecimal digits, `built-in` and a version, or `null` where it is not known.
    pub program: Option<String>,
    /// How many times the limit of time holds for it, after its language; `None` for who has no limits, as a human or a
    /// built-in bot within the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_factor: Option<u32>,
}

impl SeatInfo {
    /// Somebody of whom no more is known.
    pub fn named(name: impl Into<String>) -> SeatInfo {
        SeatInfo { name: name.into(), program: None, time_factor: None }
    }
}

/// Limits; `null` where there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct LimitsInfo {
    /// Milliseconds on the clock, and as many of CPU time.
    pub time_ms: Option<u64>,
    /// Megabytes of 1,048,576 bytes.
    pub memory_mb: Option<u64>,
    /// Bytes on standard output.
    pub output_bytes: Option<u64>,
}

/// One turn. Lists have a value for each seat, `null` for the dead.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnInfo {
    /// What was asked for, as Botzone's numbers; −10 where nothing could be understood.
    pub actions: [Option<i32>; 4],
    /// `OK`, `TLE`, `MLE`, `OLE`, `NJ`, `RE` or `ILLEGAL`.
    pub verdicts: [Option<String>; 4],
    /// What was taunted.
    #[serde(skip_serializing_if = "says_nothing")]
    pub taunts: [Option<String>; 4],
    /// The [fingerprint](pacman2_rules::State::fingerprint) of the position after the turn, 16 hexadecimal digits.
    pub position: String,
}

fn says_nothing<T>(seats: &[Option<T>; 4]) -> bool {
    seats.iter().all(Option::is_none)
}

/// The part of a replay that differs from run to run.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct PrivatePart {
    /// How well each bot was shut in; `null` for who was no process, and where it is not known. It is private because it
    /// depends on the machine.
    #[serde(skip_serializing_if = "says_nothing")]
    pub sandbox: [Option<Tier>; 4],
    /// For each turn and seat what the answer cost and what else the bot said.
    pub turns: Vec<[Option<TurnDiagnostics>; 4]>,
}

/// What a bot's author wants to know of an answer.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct TurnDiagnostics {
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
    /// What it wrote, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The response as it was given, where action and taunt do not tell it all: the bot saw it again in later turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// What it stored for its next turn.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub data: String,
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
    /// The record of a match, over or not.
    pub fn new<'a>(
        map: &Map,
        seats: BySeat<SeatInfo>,
        limits: LimitsInfo,
        turns: impl DoubleEndedIterator<Item = &'a SessionTurn> + Clone,
        private: PrivatePart,
    ) -> Replay {
        let scores = turns.clone().next_back().and_then(|turn| turn.scores);
        Replay {
            format: FORMAT.to_owned(),
            version: VERSION,
            public: PublicPart {
                init: init_data::write(map),
                ruling: map.maze.ruleset().forfeit_ruling.name().to_owned(),
                seats: seats.0,
                limits,
                turns: turns.map(TurnInfo::of).collect(),
                scores: scores.map(points),
            },
            private,
        }
    }

    /// Reads a replay. It is JSON of the right shape then, and its map can be played; whether the turns agree with the
    /// rules, [`Replay::verify`] tells.
    pub fn read(text: &str) -> Result<Replay, ReplayError> {
        let value = serde_json::from_str(text).map_err(|error| ReplayError(format!("this is no replay: {error}")))?;
        Replay::from_json(&value)
    }

    /// The replay that this JSON is, under the same conditions.
    pub fn from_json(value: &Value) -> Result<Replay, ReplayError> {
        let replay = parse::read(value)?;
        replay.map()?;
        Ok(replay)
    }

    /// The replay as text: JSON, with a line for each turn.
    pub fn write(&self) -> String {
        let Replay { format, version, public, private } = self;
        let turns = public.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        let backstage = private.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        let tiers = Some(&private.sandbox).filter(|sandbox| !says_nothing(sandbox));
        let tiers = tiers.map_or_else(String::new, |sandbox| format!("\"sandbox\":{},", line(sandbox)));
        format!(
            "{{\"format\":{},\"version\":{},\"public\":{{\n\"init\":{},\n\"ruling\":{},\n\"seats\":{},\n\"limits\":{},\n\"turns\":[\n{turns}\n],\n\
             \"scores\":{}}},\n\"private\":{{{tiers}\"turns\":[\n{backstage}\n]}}}}\n",
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
        let ruling = self.public.ruling.parse::<ForfeitRuling>().map_err(|error| ReplayError(error.to_string()))?;
        match init_data::read(&self.public.init, 0, Ruleset::default().with_forfeit_ruling(ruling)) {
            Ok((map, _)) => Ok(map),
            Err(refusal) => Err(ReplayError(format!("the replay's map cannot be played: {refusal}"))),
        }
    }

    /// Plays the match again, turn by turn, and returns what came of each, or tells the first turn that differs from what
    /// the replay says.
    pub fn verify(&self) -> Result<Vec<SessionTurn>, ReplayError> {
        let (_, turns, difference) = self.follow()?;
        difference.map_or(Ok(turns), Err)
    }

    /// Plays the match again as far as it agrees with the replay, and tells where it ceases to: the table as it stands then,
    /// what came of each turn, and the difference. Fails only where nothing can be played, for want of a map.
    pub fn follow(&self) -> Result<(Session, Vec<SessionTurn>, Option<ReplayError>), ReplayError> {
        let mut turns = Vec::new();
        let mut table = Session::new(self.map()?);
        for (number, told) in (1..).zip(&self.public.turns) {
            match told.play(&mut table) {
                Ok(turn) => turns.push(turn),
                Err(what) => return Ok((table, turns, Some(ReplayError(format!("turn {number} differs: {what}"))))),
            }
        }
        let ours = turns.last().and_then(|turn| turn.scores).map(points);
        let difference = match (&ours, &self.public.scores) {
            (ours, told) if ours == told => None,
            (None, _) => Some(format!("turn {} is missing: the game is not over, yet there are scores", turns.len() + 1)),
            (ours, told) => Some(format!("the scores are {} by the rules, {} in the replay", line(ours), line(told))),
        };
        Ok((table, turns, difference.map(ReplayError)))
    }

    /// The match as Botzone logs it.
    pub fn to_match_log(&self) -> Result<MatchLog, ReplayError> {
        let turns = self.verify()?;
        let backstage = |number: usize, seat: Seat| self.private.turns.get(number).and_then(|turn| turn[seat.index()].as_ref());
        let logged = |number: usize, turn: &SessionTurn, seat: Seat| {
            let heard = turn.heard[seat].clone()?;
            let verdict = match &heard {
                ParsedResponse::Nothing(verdict) => *verdict,
                ParsedResponse::Action { .. } => Verdict::Ok,
            };
            let backstage = backstage(number, seat);
            let given = backstage.and_then(|backstage| backstage.response.clone());
            let response = given.unwrap_or_else(|| plain_response(&heard));
            Some(LoggedPlayer {
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
        let backstage = |logged: &Option<LoggedPlayer>| {
            let logged = logged.as_ref()?;
            let told = logged.response != plain_response(&logged.heard);
            Some(TurnDiagnostics {
                response: Some(logged.response.clone()).filter(|_| told),
                wall_us: logged.time_ms.unwrap_or_default().saturating_mul(1000),
                memory_bytes: logged.memory_mb.map(|mb| mb.saturating_mul(1024 * 1024)),
                debug: logged.debug.clone(),
                ..TurnDiagnostics::default()
            })
        };
        let turns = log.turns.iter().map(|turn| turn.0.each_ref().map(backstage)).collect();
        let private = PrivatePart { turns, ..PrivatePart::default() };
        let seats = BySeat::from_fn(|seat| SeatInfo::named(log.name(seat)));
        Replay::new(&log.map, seats, LimitsInfo::default(), log.replay().iter(), private)
    }
}

/// Reads what a turn's author wants to know, as it stands in the private part of a replay.
pub fn read_diagnostics(value: &Value) -> Result<[Option<TurnDiagnostics>; 4], ReplayError> {
    parse::read_backstage(value)
}

impl TurnInfo {
    /// Reads a turn as it stands in the public part of a replay.
    pub fn from_json(value: &Value) -> Result<TurnInfo, ReplayError> {
        parse::read_turn(value)
    }

    /// What a replay says of a turn.
    pub fn of(turn: &SessionTurn) -> TurnInfo {
        let illegal = |seat: Seat| {
            let of_seat = |event: &Event| matches!(event, Event::Died { seat: dead, cause: Cause::IllegalAction { .. }, .. } if *dead == seat);
            turn.report.events.iter().any(of_seat)
        };
        let verdict = |seat: Seat| match turn.heard[seat].as_ref()? {
            ParsedResponse::Nothing(verdict) if *verdict != Verdict::Ok => Some(verdict.name().to_owned()),
            _ => Some(if illegal(seat) { ILLEGAL } else { Verdict::Ok.name() }.to_owned()),
        };
        let number = |seat: Seat| match turn.heard[seat].as_ref()? {
            ParsedResponse::Nothing(_) => Some(action::UNREADABLE),
            ParsedResponse::Action { number, .. } => Some(*number),
        };
        let taunt = |seat: Seat| match turn.heard[seat].as_ref()? {
            ParsedResponse::Action { taunt, .. } => taunt.clone().filter(|taunt| !taunt.is_empty()),
            ParsedResponse::Nothing(_) => None,
        };
        TurnInfo {
            actions: Seat::ALL.map(number),
            verdicts: Seat::ALL.map(verdict),
            taunts: Seat::ALL.map(taunt),
            position: format!("{:016x}", turn.state.fingerprint()),
        }
    }

    /// Plays this turn, or tells in what it differs from the rules.
    pub fn play(&self, table: &mut Session) -> Result<SessionTurn, String> {
        let heard = self.heard()?;
        let alive = table.game().state().alive;
        if let Some(seat) = Seat::ALL.into_iter().find(|&seat| heard[seat].is_some() != alive.contains(seat)) {
            let (condition, words) = if alive.contains(seat) { ("alive", "no action") } else { ("dead", "an action") };
            return Err(format!("player {seat} is {condition} and the replay has {words} of it"));
        }
        let turn = table.play(&heard).ok_or("the game was over before")?;
        let ours = TurnInfo::of(&turn);
        if ours.position != self.position {
            return Err(format!("the position is {} by the rules, {} in the replay", ours.position, self.position));
        }
        if ours.verdicts != self.verdicts {
            let [ours, told] = [&ours.verdicts, &self.verdicts].map(line);
            return Err(format!("the verdicts are {ours} by the rules, {told} in the replay"));
        }
        Ok(turn)
    }

    fn heard(&self) -> Result<BySeat<Option<ParsedResponse>>, String> {
        let mut heard = BySeat::default();
        for seat in Seat::ALL {
            let index = seat.index();
            heard[seat] = match (self.actions[index], self.verdicts[index].as_deref()) {
                (None, None) => None,
                (Some(action::UNREADABLE), Some(ILLEGAL)) => Some(ParsedResponse::Nothing(Verdict::Ok)),
                (Some(number), Some("OK" | ILLEGAL)) => {
                    Some(ParsedResponse::Action { number, taunt: self.taunts[index].clone() })
                }
                (Some(action::UNREADABLE), Some(name)) => {
                    let verdict =
                        Verdict::from_name(name).ok_or_else(|| format!("player {seat} has an unknown verdict \"{name}\""))?;
                    Some(ParsedResponse::Nothing(verdict))
                }
                _ => return Err(format!("player {seat}'s action and verdict do not fit each other")),
            };
        }
        Ok(heard)
    }
}

/// The response that has nothing but an action and perhaps a taunt; `null` where nothing was understood.
pub fn plain_response(heard: &ParsedResponse) -> Value {
    match heard {
        ParsedResponse::Nothing(_) => Value::Null,
        ParsedResponse::Action { number, taunt: Some(taunt) } if !taunt.is_empty() => {
            json!({ "action": number, "tauntText": taunt })
        }
        ParsedResponse::Action { number, .. } => json!({ "action": number }),
    }
}

fn points(scores: BySeat<Score>) -> [f64; 4] {
    scores.0.map(|score| score.hundredths as f64 / 100.0)
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data always has a JSON form")
}
