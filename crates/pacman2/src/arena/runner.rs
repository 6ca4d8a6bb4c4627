//! Plays the games of an arena in parallel and stores each one when it ends.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Instant, SystemTime};

use anyhow::Context;
use pacman2_maps::MapSize;
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, Players};
use pacman2_replay::Replay;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::store::ArenaSettings;
use pacman2_tournament::{Block, BotId, BotVersion, Fault, FaultKind, GameResult, Job, SeatResult, Store};

use super::candidate;
use super::fault::fault_kind;
use super::game_limits::GameLimits;
use super::progress::GameProgress;
use super::stalls::StallDetector;
use crate::error::bad_input;
use crate::map_source;
use crate::mounts::Hidden;
use crate::resolve::{self, PlayerConfig};
use crate::sandbox::SandboxPolicy;
use crate::workers;

/// How often a game is played again because the machine stalled. After that it counts as it is.
const MAX_REPLAYS: u32 = 3;

/// Plays games between the bots of an arena.
pub(crate) struct Runner<'a> {
    /// The folder of the arena, which no bot sees.
    folder: PathBuf,
    limits: GameLimits,
    /// All bots of the arena. The id of a game depends on their programs.
    pub(crate) bots: Vec<BotVersion>,
    /// The bots that play, ready to be started.
    players: BTreeMap<BotId, resolve::Bot>,
    policy: &'a SandboxPolicy,
    pub(crate) concurrency: Concurrency,
    stop: &'a AtomicBool,
}

/// How many games and bots run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Concurrency {
    pub(crate) games_at_once: usize,
    pub(crate) ask_mode: AskMode,
}

impl Concurrency {
    /// Returns what the cores of this machine allow. A game whose bots think at the same time takes four cores. On machines
    /// with fewer cores the bots think one after another, and a game takes one core.
    pub(crate) fn of_this_machine(games_at_once: Option<usize>) -> Concurrency {
        let cores = workers::default_threads();
        let ask_mode = AskMode::of_this_machine();
        let default = if ask_mode == AskMode::OneByOne { cores } else { cores / 4 };
        Concurrency { games_at_once: games_at_once.unwrap_or(default), ask_mode }
    }
}

impl<'a> Runner<'a> {
    /// Loads the bots that play.
    ///
    /// # Errors
    ///
    /// If a program is gone or has changed since its bot was added.
    pub(crate) fn new(
        store: &Store,
        policy: &'a SandboxPolicy,
        players: &[&BotVersion],
        games_at_once: Option<u16>,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Runner<'a>> {
        Ok(Runner {
            folder: store.folder().to_owned(),
            limits: GameLimits::of(store)?,
            bots: store.bots()?,
            players: candidate::load_bots(store, policy, players.iter().copied())?,
            policy,
            concurrency: Concurrency::of_this_machine(games_at_once.map(usize::from)),
            stop,
        })
    }

    /// Returns the settings of the arena.
    pub(crate) fn settings(&self) -> &ArenaSettings {
        &self.limits.stored
    }

    /// Returns how many games of these blocks are in the store.
    pub(crate) fn count_known(&self, store: &Store, blocks: &[Block]) -> anyhow::Result<usize> {
        let mut known = 0;
        for job in blocks.iter().flat_map(|block| &block.jobs) {
            known += usize::from(store.has_game(&Store::id_of(&self.limits.stored, &self.bots, job))?);
        }
        Ok(known)
    }

    /// Plays a plan stage by stage. Returns `false` if it was interrupted.
    pub(crate) fn run_plan(&self, store: &mut Store, plan: &Plan, progress: &mut GameProgress) -> anyhow::Result<bool> {
        let mut earlier: Vec<Vec<GameResult>> = Vec::new();
        while let Some(blocks) = plan.stage(&earlier) {
            let Some(results) = self.run_blocks(store, &blocks, progress)? else { return Ok(false) };
            // Millions of results would take gigabytes, and most plans only count the stages.
            earlier.push(if plan.depends_on_results() { results } else { Vec::new() });
        }
        Ok(true)
    }

    /// Plays the games of these blocks that are not in the store, and returns the results of all their games in order.
    /// Returns `None` if it was interrupted.
    pub(crate) fn run_blocks(
        &self,
        store: &mut Store,
        blocks: &[Block],
        progress: &mut GameProgress,
    ) -> anyhow::Result<Option<Vec<GameResult>>> {
        let mut ids = Vec::new();
        let mut missing = VecDeque::new();
        let mut known: HashMap<String, GameResult> = HashMap::new();
        for block in blocks {
            let of_block: Vec<String> = block.jobs.iter().map(|job| Store::id_of(&self.limits.stored, &self.bots, job)).collect();
            let block_id = Store::id_of_block(&of_block);
            for (&job, id) in block.jobs.iter().zip(&of_block) {
                match store.game(id)? {
                    Some(game) => {
                        progress.add_known(&game);
                        known.insert(id.clone(), game);
                    }
                    None => missing.push_back(PendingGame { job, id: id.clone(), block: block_id.clone() }),
                }
            }
            ids.extend(of_block);
        }
        if !missing.is_empty() && !self.play_missing(store, missing, progress, &mut known)? {
            return Ok(None);
        }
        let results = ids.iter().map(|id| known.get(id).cloned());
        Ok(Some(results.collect::<Option<Vec<_>>>().context("a game that was played is missing")?))
    }

    fn play_missing(
        &self,
        store: &mut Store,
        missing: VecDeque<PendingGame>,
        progress: &mut GameProgress,
        known: &mut HashMap<String, GameResult>,
    ) -> anyhow::Result<bool> {
        let count = missing.len();
        let threads = self.concurrency.games_at_once.clamp(1, count);
        let stalls = StallDetector::default();
        let mut stored = 0;
        thread::scope(|scope| {
            let _stop = stalls.stop_on_drop();
            scope.spawn(|| stalls.run());
            let job = |(): &mut (), next: PendingGame| self.play(&next, &stalls).transpose();
            workers::run(
                threads,
                missing,
                self.stop,
                || (),
                job,
                |event| {
                    let workers::Progress::Done(played) = event else {
                        progress.update();
                        return Ok(());
                    };
                    let game = played.and_then(|PlayedGame { game, public, private }| {
                        store.put_game(&game, &public, &private)?;
                        Ok(game)
                    });
                    // If a game cannot be stored, the others need not be played to their end.
                    let game = game.inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
                    stored += 1;
                    progress.add_played(&game);
                    known.insert(game.id.clone(), game);
                    Ok(())
                },
            )
        })?;
        Ok(stored == count)
    }

    /// Plays a game, and plays it again if a bot ran out of time while the machine stalled. Returns `None` if it was
    /// interrupted.
    fn play(&self, pending: &PendingGame, stalls: &StallDetector) -> anyhow::Result<Option<PlayedGame>> {
        let mut replayed = 0;
        loop {
            let begin = Instant::now();
            let Some(mut played) = self.play_once(pending, begin)? else { return Ok(None) };
            let has_timeout =
                played.game.seats.0.iter().any(|seat| seat.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Tle));
            if has_timeout && replayed < MAX_REPLAYS && stalls.has_stalled_since(begin) {
                replayed += 1;
                continue;
            }
            played.game.replayed = replayed;
            return Ok(Some(played));
        }
    }

    fn play_once(&self, pending: &PendingGame, begin: Instant) -> anyhow::Result<Option<PlayedGame>> {
        let Job { seed, seats, .. } = pending.job;
        let bot = |seat: Seat| self.players.get(&seats[seat]).with_context(|| format!("bot {} cannot play", seats[seat].0));
        let map = map_source::generate(seed, MapSize::default(), self.limits.ruleset)?;
        let mut hidden = Hidden { bots: Vec::new(), folders: vec![self.folder.clone()] };
        for seat in Seat::ALL {
            hidden.bots.extend(bot(seat)?.files.clone());
        }
        let config = PlayerConfig { limits: self.limits.limits, as_process: false, ruleset: self.limits.ruleset, hidden };
        let mut players = Vec::new();
        let mut tiers = BySeat::from_fn(|_| None);
        for seat in Seat::ALL {
            let started = bot(seat)?.start(&config, self.policy, String::new())?;
            tiers[seat] = started.tier;
            players.push(started.player);
        }
        let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("expected four bots"))?);
        let turns = referee::play(map.clone(), &mut players, self.concurrency.ask_mode, self.stop, |_, _| ());
        drop(players);
        let last = turns.last().map(|played| &played.turn);
        let Some((last, scores)) = last.and_then(|turn| Some((turn, turn.scores?))) else { return Ok(None) };
        let infos = Seat::ALL.map(|seat| bot(seat).map(|bot| bot.info(false)));
        let [a, b, c, d] = infos;
        let replay = record(&map, BySeat([a?, b?, c?, d?]), limits_info(self.limits.limits), tiers, &turns);
        let strength = last.state.strength;
        let of_seat = |seat: Seat| SeatResult {
            bot: seats[seat],
            hundredths: scores[seat].hundredths,
            place: 1 + strength.0.iter().filter(|&&other| other > strength[seat]).count() as u8,
            strength: strength[seat],
            fault: fault(&replay, seat),
            slowest_us: turns
                .iter()
                .filter_map(|played| played.responses[seat].as_ref())
                .map(|response| response.usage.wall.as_micros() as u64)
                .max()
                .unwrap_or_default(),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let game = GameResult {
            id: pending.id.clone(),
            block: pending.block.clone(),
            seed,
            width: map.maze.width(),
            height: map.maze.height(),
            turns: turns.len() as u32,
            seats: BySeat::from_fn(of_seat),
            finished: now.as_secs() as i64,
            seconds: begin.elapsed().as_secs_f64(),
            replayed: 0,
        };
        let Replay { public, private, .. } = &replay;
        let written = "the replay cannot be written";
        let (public, private) =
            (serde_json::to_string(public).context(written)?, serde_json::to_string(private).context(written)?);
        Ok(Some(PlayedGame { game, public, private }))
    }
}

/// A game that is to be played.
struct PendingGame {
    job: Job,
    id: String,
    block: String,
}

/// A game that was played, with the two parts of its replay as JSON.
struct PlayedGame {
    game: GameResult,
    public: String,
    private: String,
}

/// Returns the fault by which a seat forfeited, if it did.
fn fault(replay: &Replay, seat: Seat) -> Option<Fault> {
    (1..).zip(&replay.public.turns).find_map(|(turn, played)| {
        let kind = fault_kind(played.verdicts[seat.index()]?)?;
        Some(Fault { kind, turn })
    })
}
