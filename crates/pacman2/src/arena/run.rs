//! Games of the arena, played side by side and kept one by one.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use pacman2_maps::MapSize;
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, Players};
use pacman2_replay::Replay;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::{Block, BotId, BotVersion, Fault, GameResult, Job, SeatResult, Store};

use super::progress::Watch;
use super::stalls::Stalls;
use super::terms::Terms;
use crate::failure::bad_input;
use crate::map;
use crate::sandbox::Guard;
use crate::seats::{self, Manner};

/// How often a game is played again since the machine stood still. Then it counts as it is.
const REPLAYS_AT_MOST: u32 = 3;
/// How often somebody who waits is told how far it is.
const PROGRESS: Duration = Duration::from_millis(250);

/// All that games are played with.
pub(crate) struct Hall<'a> {
    pub(crate) terms: Terms,
    pub(crate) bots: Vec<BotVersion>,
    pub(crate) ready: BTreeMap<BotId, seats::Bot>,
    pub(crate) guard: &'a Guard,
    pub(crate) pace: Pace,
    pub(crate) stop: &'a AtomicBool,
}

/// How many play at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pace {
    pub(crate) games_at_once: usize,
    pub(crate) thinking: AskMode,
}

impl Pace {
    /// As many games as there are cores for: four for a game whose bots think at the same time, one if they think one after
    /// another, as they do where there are fewer than four.
    pub(crate) fn of_this_machine(games_at_once: Option<usize>) -> Pace {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let thinking = if cores < 4 { AskMode::OneByOne } else { AskMode::AtOnce };
        let fitting = if cores < 4 { cores } else { cores / 4 };
        Pace { games_at_once: games_at_once.unwrap_or(fitting), thinking }
    }
}

impl Hall<'_> {
    /// Plays a plan stage by stage, and keeps each game when it is over. `false` if it was stopped.
    pub(crate) fn play_plan(&self, store: &mut Store, plan: &Plan, watch: &mut dyn Watch) -> anyhow::Result<bool> {
        let mut earlier: Vec<Vec<GameResult>> = Vec::new();
        while let Some(blocks) = plan.stage(&earlier) {
            let Some(results) = self.play_blocks(store, &blocks, watch)? else { return Ok(false) };
            // Millions of results would be gigabytes; most plans only count the stages.
            earlier.push(if plan.depends_on_results() { results } else { Vec::new() });
        }
        Ok(true)
    }

    /// Plays the games of these blocks that are not in the store, and returns all of them in their order; `None` if it was
    /// stopped before.
    pub(crate) fn play_blocks(
        &self,
        store: &mut Store,
        blocks: &[Block],
        watch: &mut dyn Watch,
    ) -> anyhow::Result<Option<Vec<GameResult>>> {
        let mut ids = Vec::new();
        let mut missing = VecDeque::new();
        let mut known: HashMap<String, GameResult> = HashMap::new();
        for block in blocks {
            let of_block: Vec<String> = block.jobs.iter().map(|job| Store::id_of(&self.terms.kept, &self.bots, job)).collect();
            let block_id = Store::id_of_block(&of_block);
            for (&job, id) in block.jobs.iter().zip(&of_block) {
                match store.game(id)? {
                    Some(game) => {
                        watch.known(&game);
                        known.insert(id.clone(), game);
                    }
                    None => missing.push_back(Due { job, id: id.clone(), block: block_id.clone() }),
                }
            }
            ids.extend(of_block);
        }
        if !missing.is_empty() && !self.play_missing(store, missing, watch, &mut known)? {
            return Ok(None);
        }
        let results = ids.iter().map(|id| known.get(id).cloned());
        Ok(Some(results.collect::<Option<Vec<_>>>().context("a game is missing that was played")?))
    }

    fn play_missing(
        &self,
        store: &mut Store,
        missing: VecDeque<Due>,
        watch: &mut dyn Watch,
        known: &mut HashMap<String, GameResult>,
    ) -> anyhow::Result<bool> {
        let count = missing.len();
        let threads = self.pace.games_at_once.clamp(1, count);
        let due = Mutex::new(missing);
        let stalls = Stalls::new();
        let (sender, finished) = mpsc::channel::<anyhow::Result<Finished>>();
        let mut kept = 0;
        thread::scope(|scope| {
            scope.spawn(|| stalls.watch());
            for _ in 0..threads {
                let (sender, due, stalls) = (sender.clone(), &due, &stalls);
                scope.spawn(move || {
                    while !self.stop.load(Ordering::Relaxed) {
                        let next = due.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                        let Some(next) = next else { return };
                        let Some(finished) = self.play(&next, stalls).transpose() else { return };
                        // Who receives is there as long as anybody sends.
                        let _ = sender.send(finished);
                    }
                });
            }
            drop(sender);
            let mut keep_all = || -> anyhow::Result<()> {
                loop {
                    match finished.recv_timeout(PROGRESS) {
                        Ok(finished) => {
                            let Finished { game, public, private } = finished?;
                            store.put_game(&game, &public, &private)?;
                            kept += 1;
                            watch.played(&game);
                            known.insert(game.id.clone(), game);
                        }
                        Err(RecvTimeoutError::Timeout) => watch.wait(),
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    }
                }
            };
            let done = keep_all();
            if done.is_err() {
                // What cannot be kept need not be played to its end.
                self.stop.store(true, Ordering::Relaxed);
            }
            stalls.end();
            done
        })?;
        Ok(kept == count)
    }

    /// Plays a game, again if the machine stood still while a bot ran out of time; `None` if it was stopped.
    fn play(&self, due: &Due, stalls: &Stalls) -> anyhow::Result<Option<Finished>> {
        let mut replayed = 0;
        loop {
            let begin = Instant::now();
            let Some(mut finished) = self.play_once(due, begin)? else { return Ok(None) };
            let ran_out = finished.game.seats.0.iter().any(|seat| seat.fault.as_ref().is_some_and(|fault| fault.kind == "TLE"));
            if ran_out && replayed < REPLAYS_AT_MOST && stalls.since(begin) {
                replayed += 1;
                continue;
            }
            finished.game.replayed = replayed;
            return Ok(Some(finished));
        }
    }

    fn play_once(&self, due: &Due, begin: Instant) -> anyhow::Result<Option<Finished>> {
        let Job { seed, seats, .. } = due.job;
        let bot = |seat: Seat| self.ready.get(&seats[seat]).with_context(|| format!("bot {} cannot play", seats[seat].0));
        let map = map::generate(seed, MapSize::default(), self.terms.settings)?;
        let mut files = Vec::new();
        for seat in Seat::ALL {
            files.extend(bot(seat)?.files.clone());
        }
        let manner = Manner { limits: self.terms.limits, as_process: false, ruleset: self.terms.settings, files };
        let mut players = Vec::new();
        let mut tiers = BySeat::from_fn(|_| None);
        for seat in Seat::ALL {
            let seated = bot(seat)?.sit(&manner, self.guard, String::new())?;
            tiers[seat] = seated.tier;
            players.push(seated.player);
        }
        let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("four bots are wanted"))?);
        let turns = referee::play(map.clone(), &mut players, self.pace.thinking, self.stop, |_, _| ());
        drop(players);
        let last = turns.last().map(|played| &played.turn);
        let Some((last, scores)) = last.and_then(|turn| Some((turn, turn.scores?))) else { return Ok(None) };
        let infos = Seat::ALL.map(|seat| bot(seat).map(|bot| bot.info(false)));
        let [a, b, c, d] = infos;
        let replay = record(&map, BySeat([a?, b?, c?, d?]), limits_info(self.terms.limits), tiers, &turns);
        let strength = last.state.strength;
        let of_seat = |seat: Seat| SeatResult {
            bot: seats[seat],
            hundredths: scores[seat].hundredths,
            place: 1 + strength.0.iter().filter(|&&other| other > strength[seat]).count() as u8,
            strength: strength[seat],
            fault: fault(&replay, seat),
            slowest_us: turns
                .iter()
                .filter_map(|played| played.said[seat].as_ref())
                .map(|said| said.cost.wall.as_micros() as u64)
                .max()
                .unwrap_or_default(),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let game = GameResult {
            id: due.id.clone(),
            block: due.block.clone(),
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
        let written = "what was played can be written";
        let (public, private) =
            (serde_json::to_string(public).context(written)?, serde_json::to_string(private).context(written)?);
        Ok(Some(Finished { game, public, private }))
    }
}

/// A game that is to be played.
struct Due {
    job: Job,
    id: String,
    block: String,
}

/// A game that was played, with the two parts of its replay.
struct Finished {
    game: GameResult,
    public: String,
    private: String,
}

/// How a seat forfeited.
fn fault(replay: &Replay, seat: Seat) -> Option<Fault> {
    (1..).zip(&replay.public.turns).find_map(|(turn, played)| {
        let verdict = played.verdicts[seat.index()].as_deref()?;
        (verdict != "OK").then(|| Fault { kind: verdict.to_owned(), turn })
    })
}
