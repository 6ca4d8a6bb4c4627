//! The record of a match: what a replay keeps of what the referee has seen.

use std::time::Duration;

use pacman2_maps::Map;
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo, TurnDiagnostics};
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::{Limits, Tier};

use crate::player::{ResourceUsage, Response};
use crate::referee::MatchTurn;

/// Returns the replay of these turns. `tiers` are the sandboxes of the players that are processes.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use pacman2_botzone::bot::{BotReply, BotView};
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_match::player::InProcess;
/// use pacman2_match::record::{limits_info, record};
/// use pacman2_match::referee::{AskMode, Players, play};
/// use pacman2_replay::{Replay, SeatInfo};
/// use pacman2_rules::{BySeat, Ruleset};
/// use pacman2_runner::Limits;
///
/// let map = Map::generate(7, MapSize::default(), Ruleset::default()).unwrap();
/// let stay = |_: &BotView<'_>| BotReply::default();
/// let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(stay, String::new())) as _);
/// let turns = play(map.clone(), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ()).unwrap();
///
/// let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
/// let replay = record(&map, seats, limits_info(Limits::NONE), BySeat::from_fn(|_| None), &turns);
/// assert_eq!(Replay::read(&replay.write()).unwrap(), replay);
/// ```
pub fn record(
    map: &Map,
    seats: BySeat<SeatInfo>,
    limits: LimitsInfo,
    tiers: BySeat<Option<Tier>>,
    turns: &[MatchTurn],
) -> Replay {
    let private = PrivatePart { sandbox: tiers.0, turns: turns.iter().map(diagnostics).collect() };
    Replay::new(map, seats, limits, turns.iter().map(|turn| &turn.turn), private)
}

/// Returns what the private part of a replay keeps of a turn.
pub fn diagnostics(turn: &MatchTurn) -> [Option<TurnDiagnostics>; 4] {
    Seat::ALL.map(|seat| turn.responses[seat].clone().map(diagnostics_of))
}

/// Returns what the private part of a replay keeps of a response.
pub fn diagnostics_of(response: Response) -> TurnDiagnostics {
    let us = |time: Duration| time.as_micros() as u64;
    let ResourceUsage { wall, ready_wait: _, cpu, cpu_between_turns, memory_bytes, output_bytes } = response.usage;
    let plain = response.parsed.plain();
    // A warning stands where nothing was wrong.
    let warning = response.warning.as_ref();
    let complaint = response.complaint.as_ref().map(ToString::to_string).or_else(|| Some(warning?.to_string()));
    let problem = match &response.complaint {
        Some(complaint) => complaint.problem(),
        None => warning.map(|warning| warning.problem().clone()),
    };
    TurnDiagnostics {
        wall_us: us(wall),
        cpu_us: cpu.map(us),
        cpu_between_turns_us: cpu_between_turns.map(us),
        memory_bytes,
        output_bytes,
        problem,
        complaint,
        debug: response.debug,
        stderr: response.stderr,
        output: response.output,
        response: response.response.filter(|response| *response != plain),
        data: response.data,
    }
}

/// Returns the limits as a replay keeps them.
///
/// ```
/// let info = pacman2_match::record::limits_info(pacman2_runner::Limits::default());
/// assert_eq!((info.time_ms, info.memory_mb), (Some(1000), Some(256)));
/// ```
pub fn limits_info(limits: Limits) -> LimitsInfo {
    LimitsInfo {
        time_ms: limits.wall.map(|wall| wall.as_millis() as u64),
        memory_mb: limits.memory_bytes.map(|bytes| bytes / (1024 * 1024)),
        output_bytes: limits.output_bytes,
    }
}
