//! Plays single games, on this machine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{self, BotMemory, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::session::SessionTurn;
use pacman2_console::map_source;
use pacman2_console::workers;
use pacman2_maps::{Map, MapSize};
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode};
use pacman2_replay::Replay;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::{BotId, Fault, GameResult, Job, SeatResult};

use super::game_limits::GameLimits;
use super::stalls::StallDetector;

/// How often a game is played again because the machine stalled. After that it counts as it is.
const MAX_REPLAYS: u32 = 3;

/// How many games and bots run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Concurrency {
    /// How many games.
    pub games_at_once: usize,
    /// How many bots of a game.
    pub ask_mode: AskMode,
}

impl Concurrency {
    /// Returns what the cores of this machine allow.
    pub fn from_machine(games_at_once: Option<usize>) -> Concurrency {
        Concurrency::from_cores(workers::default_threads(), games_at_once)
    }

    /// Returns what this many cores allow. A game whose bots think at the same time takes four cores. With fewer cores the bots
    /// think one after another, and a game takes one core.
    pub fn from_cores(cores: usize, games_at_once: Option<usize>) -> Concurrency {
        let ask_mode = if cores < Seat::ALL.len() { AskMode::OneByOne } else { AskMode::AtOnce };
        let default = if ask_mode == AskMode::OneByOne { cores } else { cores / 4 };
        Concurrency { games_at_once: games_at_once.unwrap_or(default), ask_mode }
    }

    /// Returns how many bots are started at the same time. All of a game live until it ends.
    pub fn bots_at_once(self) -> usize {
        self.games_at_once.max(1) * Seat::ALL.len()
    }
}

/// A game that is to be played.
pub(crate) struct PendingGame {
    pub(crate) job: Job,
    pub(crate) id: String,
    pub(crate) block: String,
}

/// A game that was played, with the two parts of its replay as JSON.
pub(crate) struct PlayedGame {
    pub(crate) game: GameResult,
    pub(crate) public: String,
    pub(crate) private: String,
    /// How long the machine stalled meanwhile.
    pub(crate) stalled: Duration,
}

/// Plays games.
pub(crate) struct GamePlayer<'a> {
    /// The folder of the arena, which no bot sees.
    pub(crate) folder: PathBuf,
    pub(crate) policy: &'a SandboxPolicy,
    pub(crate) ask_mode: AskMode,
    pub(crate) stop: &'a AtomicBool,
}

impl GamePlayer<'_> {
    /// Plays a game between these bots, and plays it again if a bot ran out of time while the machine stalled. Returns `None`
    /// if it was interrupted.
    pub(crate) fn play(
        &self,
        pending: &PendingGame,
        bots: &BySeat<Arc<resolve::Bot>>,
        limits: &GameLimits,
        stalls: &StallDetector,
    ) -> anyhow::Result<Option<PlayedGame>> {
        let stalled_before = stalls.total();
        let mut replayed = 0;
        loop {
            let begin = Instant::now();
            let Some(mut played) = self.play_once(pending, bots, limits, begin)? else { return Ok(None) };
            let is_timeout = |seat: &SeatResult| seat.fault.as_ref().is_some_and(|fault| fault.kind == Verdict::Tle);
            let has_timeout = played.game.seats.0.iter().any(is_timeout);
            if has_timeout && replayed < MAX_REPLAYS && stalls.has_stalled_since(begin) {
                replayed += 1;
                continue;
            }
            played.game.replayed = replayed;
            played.stalled = stalls.total().saturating_sub(stalled_before);
            return Ok(Some(played));
        }
    }

    fn play_once(
        &self,
        pending: &PendingGame,
        bots: &BySeat<Arc<resolve::Bot>>,
        limits: &GameLimits,
        begin: Instant,
    ) -> anyhow::Result<Option<PlayedGame>> {
        let map = map_of(pending.job.seed, limits)?;
        let mut hidden = Hidden { bots: Vec::new(), folders: vec![self.folder.clone()] };
        for bot in &bots.0 {
            hidden.bots.extend(bot.files.clone());
        }
        let config = PlayerConfig { limits: limits.limits, as_process: false, ruleset: limits.ruleset, hidden };
        let memories = BySeat::from_fn(|_| BotMemory::default());
        let bots = BySeat::from_fn(|seat| &*bots[seat]);
        let (mut players, tiers) = resolve::start_all(bots, memories, &config, self.policy)?;
        let turns = referee::play(map.clone(), &mut players, self.ask_mode, self.stop, |_, _| ())?;
        drop(players);
        let infos = BySeat::from_fn(|seat| bots[seat].info(false));
        let replay = record(&map, infos, limits_info(limits.limits), tiers, &turns);
        let slowest_us = BySeat::from_fn(|seat| {
            let responses = turns.iter().filter_map(|played| played.responses[seat].as_ref());
            responses.map(|response| response.usage.wall.as_micros() as u64).max().unwrap_or_default()
        });
        let last = turns.last().map(|played| &played.turn);
        let Some(seats) = last.and_then(|last| seat_results(pending.job.seats, &replay, last, slowest_us)) else {
            return Ok(None);
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let game = GameResult {
            id: pending.id.clone(),
            block: pending.block.clone(),
            seed: pending.job.seed,
            width: map.maze.width(),
            height: map.maze.height(),
            turns: turns.len() as u32,
            seats,
            finished: now.as_secs() as i64,
            seconds: begin.elapsed().as_secs_f64(),
            replayed: 0,
            node: None,
        };
        let [public, private] = parts_of(&replay)?;
        Ok(Some(PlayedGame { game, public, private, stalled: Duration::ZERO }))
    }
}

/// Returns the map of the games with this seed.
pub(crate) fn map_of(seed: i32, limits: &GameLimits) -> anyhow::Result<Map> {
    map_source::generate(seed, MapSize::default(), limits.ruleset)
}

/// Returns the two parts of a replay as JSON, as the store keeps them.
pub(crate) fn parts_of(Replay { public, private, .. }: &Replay) -> anyhow::Result<[String; 2]> {
    let written = "the replay cannot be written";
    Ok([serde_json::to_string(public).context(written)?, serde_json::to_string(private).context(written)?])
}

/// Returns the results of these bots in a game with this last turn; `None` if it is not over.
pub(crate) fn seat_results(
    bots: BySeat<BotId>,
    replay: &Replay,
    last: &SessionTurn,
    slowest_us: BySeat<u64>,
) -> Option<BySeat<SeatResult>> {
    let scores = last.scores?;
    let strength = last.state.strength;
    Some(BySeat::from_fn(|seat| SeatResult {
        bot: bots[seat],
        hundredths: scores[seat].hundredths,
        place: 1 + strength.0.iter().filter(|&&other| other > strength[seat]).count() as u8,
        strength: strength[seat],
        fault: fault(replay, seat),
        slowest_us: slowest_us[seat],
    }))
}

/// Returns the fault by which a seat forfeited, if it did.
fn fault(replay: &Replay, seat: Seat) -> Option<Fault> {
    (1..).zip(&replay.public.turns).find_map(|(turn, played)| {
        let kind = played.verdicts[seat.index()].filter(|verdict| verdict.is_fault())?;
        Some(Fault { kind, turn })
    })
}
