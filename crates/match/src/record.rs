//! The record of a match: what the referee has seen, as a replay keeps it.

use std::time::Duration;

use pacman2_maps::Map;
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo, TurnDiagnostics, plain_response};
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::{Limits, Tier};

use crate::player::ResourceUsage;
use crate::referee::MatchTurn;

/// The replay of what was played so far. `tiers` tell how well each bot is shut in; `None` for who is no process.
pub fn record(
    map: &Map,
    seats: BySeat<SeatInfo>,
    limits: LimitsInfo,
    tiers: BySeat<Option<Tier>>,
    turns: &[MatchTurn],
) -> Replay {
    let private = PrivatePart { sandbox: tiers.0, turns: turns.iter().map(diagnostics).collect() };
    Replay::new(map, seats, limits, turns.iter().map(|played| &played.turn), private)
}

/// What a replay keeps of what was said in a turn.
pub fn diagnostics(played: &MatchTurn) -> [Option<TurnDiagnostics>; 4] {
    let us = |time: Duration| time.as_micros() as u64;
    Seat::ALL.map(|seat| {
        let said = played.said[seat].clone()?;
        let ResourceUsage { wall, cpu, cpu_between_turns, memory_bytes, output_bytes } = said.cost;
        let plain = plain_response(&said.heard);
        Some(TurnDiagnostics {
            wall_us: us(wall),
            cpu_us: cpu.map(us),
            cpu_between_turns_us: cpu_between_turns.map(us),
            memory_bytes,
            output_bytes,
            complaint: said.complaint,
            debug: said.debug,
            stderr: said.stderr,
            output: said.output,
            response: said.response.filter(|response| *response != plain),
            data: said.data,
        })
    })
}

/// Returns the limits as a replay keeps them.
pub fn limits_info(limits: Limits) -> LimitsInfo {
    LimitsInfo {
        time_ms: limits.wall.map(|wall| wall.as_millis() as u64),
        memory_mb: limits.memory_bytes.map(|bytes| bytes / (1024 * 1024)),
        output_bytes: limits.output_bytes,
    }
}
