//! The matches of the server: several run at a time, each on its own thread.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pacman2_botzone::problem::Problem;
use pacman2_match::problem::BotProblem;
use pacman2_match::referee::{self, AskMode, Past, Players};
use pacman2_replay::SeatInfo;
use pacman2_rules::{BySeat, Seat};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::backend::{Backend, BackendError, MatchOptions, SeatedBot};
use super::error::ApiError;
use super::folder::Folder;
use super::live::LiveMatch;
use super::match_request::{HUMAN, Lineup, MatchRequest};
use super::my_bots::MyBots;
use crate::human::Human;

/// How many matches may run at a time.
pub const MAX_RUNNING: usize = 4;
/// How many matches are remembered. Older ones are in the folder only.
const MAX_REMEMBERED: usize = 50;
/// How many bytes of replays of finished matches are kept in memory.
const MAX_REMEMBERED_BYTES: usize = 256 * 1024 * 1024;
/// The longest text that names a bot.
const MAX_BOT_BYTES: usize = 4096;

/// All matches, and the backend that provides their bots.
pub(super) struct Matches {
    backend: Arc<dyn Backend>,
    registry: Mutex<Registry>,
    permits: Arc<Semaphore>,
    /// Sends whenever a match begins or ends.
    pub(super) changed: broadcast::Sender<()>,
}

#[derive(Default)]
struct Registry {
    /// Oldest first.
    matches: VecDeque<Arc<LiveMatch>>,
    threads: Vec<JoinHandle<()>>,
    closed: bool,
}

/// What a match's thread needs to play it.
struct MatchJob {
    past: Past,
    players: Players,
    ask_mode: AskMode,
    permit: OwnedSemaphorePermit,
}

impl Matches {
    pub(super) fn new(backend: impl Backend) -> Matches {
        Matches {
            backend: Arc::new(backend),
            registry: Mutex::default(),
            permits: Arc::new(Semaphore::new(MAX_RUNNING)),
            changed: broadcast::Sender::new(1),
        }
    }

    pub(super) fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// Starts a match and returns the response to its request. May take long, because bots may have to be compiled.
    pub(super) fn start(
        self: &Arc<Matches>,
        request: &MatchRequest,
        folder: &Folder,
        own: Option<&MyBots>,
    ) -> Result<Value, ApiError> {
        let permit =
            Arc::clone(&self.permits).try_acquire_owned().map_err(|_| ApiError::TooManyMatches { limit: MAX_RUNNING })?;
        let past = request.past(folder)?;
        let (map, warnings) = match &past {
            Some(replay) => (replay.public.map.clone(), Vec::new()),
            None => request.map(random_seed()?)?,
        };
        let options = MatchOptions { ruleset: *map.maze.ruleset(), ..request.options()? };
        let clock = request.clock()?;
        let Lineup { texts, labels } = request.lineup(own)?;
        let mut bots = BySeat::from_fn(|_| None);
        for seat in Seat::ALL {
            if texts[seat.index()] != HUMAN {
                let mut bot = self.seat_bot(seat, &texts, &options)?;
                labels[seat.index()].iter().for_each(|label| bot.info.name.clone_from(label));
                bots[seat] = Some(bot);
            }
        }
        let infos = BySeat::from_fn(|seat| {
            let human = SeatInfo::named(HUMAN);
            bots[seat].as_ref().map_or(human, |bot| bot.info.clone())
        });
        let tiers = BySeat::from_fn(|seat| bots[seat].as_ref().and_then(|bot| bot.tier));
        let live = Arc::new(LiveMatch::new(new_id()?, &map, infos, options.limits, tiers));
        let mut players = bots.map(|bot| match bot {
            Some(bot) => bot.player,
            None => Box::new(Human::new(Arc::clone(&live.humans), clock).limited_from(request.clock_from.unwrap_or(1))),
        });
        let past = match past {
            None => Past::from_map(map),
            Some(replay) => {
                let past = referee::recall(&replay, &mut players);
                live.begin_with(replay);
                past?
            }
        };
        self.spawn(Arc::clone(&live), MatchJob { past, players, ask_mode: request.ask_mode(), permit })?;
        let (sentences, problems): (Vec<String>, Vec<Value>) =
            warnings.iter().map(|warning| (warning.to_string(), Problem::from(warning).to_json())).unzip();
        Ok(json!({ "id": live.id, "warnings": sentences, "warning_codes": problems }))
    }

    fn seat_bot(&self, seat: Seat, lineup: &[String; 4], options: &MatchOptions) -> Result<SeatedBot, ApiError> {
        let text = &lineup[seat.index()];
        if text.len() > MAX_BOT_BYTES {
            return Err(ApiError::BotTooLong { seat: seat.index(), max: MAX_BOT_BYTES, got: text.len() });
        }
        self.backend.seat_bot(text, lineup, options).map_err(|BackendError { bot: problem, reason, causes }| {
            let (seat, bot) = (seat.index(), text.clone());
            match problem {
                BotProblem::Unknown => ApiError::UnknownBot { seat, bot, reason },
                BotProblem::NoSuchProgram => ApiError::NoSuchProgram { seat, bot, reason },
                BotProblem::NoSandbox => ApiError::NoSandbox { seat, bot, reason },
                BotProblem::DoesNotCompile => ApiError::DoesNotCompile { seat, bot, reason, causes },
                BotProblem::Other => ApiError::BotRejected { seat, bot, reason, causes },
            }
        })
    }

    fn spawn(self: &Arc<Matches>, live: Arc<LiveMatch>, job: MatchJob) -> Result<(), ApiError> {
        let mut registry = self.registry();
        if registry.closed {
            return Err(ApiError::ShuttingDown {});
        }
        let (matches, played) = (Arc::clone(self), Arc::clone(&live));
        let thread = thread::Builder::new().name("match".to_owned()).spawn(move || matches.play(&played, job));
        let thread = thread.map_err(|error| ApiError::system("cannot start a thread for the match", error))?;
        registry.matches.push_back(live);
        registry.forget_old();
        registry.threads.retain(|thread| !thread.is_finished());
        registry.threads.push(thread);
        drop(registry);
        let _ = self.changed.send(());
        Ok(())
    }

    fn play(&self, live: &LiveMatch, job: MatchJob) {
        let MatchJob { past, mut players, ask_mode, permit } = job;
        let play = AssertUnwindSafe(|| referee::play_on(past, &mut players, ask_mode, &live.stop, |_, turn| live.push(turn)));
        let result = panic::catch_unwind(play);
        drop(players);
        pacman2_runner::sweep();
        live.end(match result {
            Ok(Err(fault)) => Err(ApiError::Internal { reason: fault.to_string(), causes: Vec::new() }),
            Ok(Ok(turns)) if turns.is_empty() => Ok(None),
            Ok(Ok(_)) => {
                let saved = self.backend.save_replay(&live.replay());
                saved.map(Some).map_err(|BackendError { reason, causes, .. }| ApiError::ReplayNotSaved { reason, causes })
            }
            Err(_) => Err(ApiError::ServerFailed {}),
        });
        drop(permit);
        let _ = self.changed.send(());
    }

    /// Returns all matches for the page's list, newest first.
    pub(super) fn list(&self) -> Vec<Value> {
        self.registry().matches.iter().rev().map(|live| live.summary()).collect()
    }

    pub(super) fn find(&self, id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        let found = self.registry().matches.iter().find(|live| live.id == id).cloned();
        found.ok_or(ApiError::NoSuchMatch {})
    }

    /// Abandons the matches that have waited for this long for a human without a clock while no page listened.
    pub(super) fn abandon_unattended(&self, now: Instant, limit: Duration) {
        self.registry().matches.iter().filter(|live| !live.is_over()).for_each(|live| live.abandon_if_unattended(now, limit));
    }

    /// Abandons all matches, and waits for their threads.
    pub(super) fn close(&self) {
        let mut registry = self.registry();
        registry.closed = true;
        registry.matches.iter().for_each(|live| live.abandon());
        let threads = std::mem::take(&mut registry.threads);
        drop(registry);
        for thread in threads {
            // A panic was already reported to the match's listeners.
            let _ = thread.join();
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    /// Forgets the oldest finished matches, as far as the limits on remembered matches are exceeded.
    fn forget_old(&mut self) {
        let mut bytes: usize = self.matches.iter().map(|live| live.remembered_bytes()).sum();
        let mut count = self.matches.len();
        self.matches.retain(|live| {
            let is_kept = count <= MAX_REMEMBERED && bytes <= MAX_REMEMBERED_BYTES || !live.is_over();
            if !is_kept {
                count -= 1;
                bytes -= live.remembered_bytes();
            }
            is_kept
        });
    }
}

fn new_id() -> Result<String, ApiError> {
    Ok(format!("{:016x}", getrandom::u64().map_err(ApiError::no_randomness)?))
}

fn random_seed() -> Result<i32, ApiError> {
    Ok((getrandom::u32().map_err(ApiError::no_randomness)? >> 1) as i32)
}

#[cfg(test)]
mod tests {
    use pacman2_botzone::bot::{BotReply, BotView};
    use pacman2_match::player::InProcess;

    use super::*;
    use crate::human::HumanAction;
    use crate::server::backend::AnalysisRequest;

    /// A backend whose bots always stay. A bot's name is the tier of its sandbox.
    struct StayingBots;

    impl Backend for StayingBots {
        fn seat_bot(&self, text: &str, _: &[String; 4], _: &MatchOptions) -> Result<SeatedBot, BackendError> {
            let tier = text.parse().ok();
            let player = Box::new(InProcess::new(|_: &BotView| BotReply::default(), String::new()));
            Ok(SeatedBot { info: SeatInfo::named(text), player, tier })
        }

        fn built_in_bots(&self) -> Vec<&'static str> {
            Vec::new()
        }

        fn save_replay(&self, _: &str) -> Result<String, BackendError> {
            Ok("saved.json".to_owned())
        }

        fn analyse(&self, _: &AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> Value {
            Value::Null
        }

        fn decide(&self, _: serde_json::Map<String, Value>) -> Result<Value, BackendError> {
            Ok(Value::Null)
        }
    }

    /// Starts a match of one human with these settings.
    fn start(matches: &Arc<Matches>, settings: Value) -> Arc<LiveMatch> {
        let mut request = json!({ "seats": ["human", "a", "b", "c"], "seed": 1 });
        request.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let started = matches.start(&serde_json::from_value(request).unwrap(), &Folder::new("replays".into()), None).unwrap();
        matches.find(started["id"].as_str().unwrap()).unwrap()
    }

    #[track_caller]
    fn wait_until(what: &str, is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_match_is_abandoned_when_its_human_has_left() {
        let matches = Arc::new(Matches::new(StayingBots));
        let [left, timed, watched] =
            [json!({}), json!({ "clock_ms": 3_600_000 }), json!({})].map(|settings| start(&matches, settings));
        let all = [&left, &timed, &watched];
        let _page = watched.subscribe();
        let is_asked = |live: &LiveMatch, turn: u32| live.humans.waiting().turn == turn;
        wait_until("all humans are asked", || all.iter().all(|live| is_asked(live, 1)));
        let (begin, limit) = (Instant::now(), Duration::from_secs(600));
        let check = |seconds: u64| matches.abandon_unattended(begin + Duration::from_secs(seconds), limit);
        let is_abandoned = |live: &LiveMatch| live.stop.load(std::sync::atomic::Ordering::Relaxed);
        check(0);
        check(599);
        let choice = HumanAction { action: -1, taunt: None };
        left.humans.choose(Seat::S0, 1, choice).unwrap();
        wait_until("the next turn", || is_asked(&left, 2));
        check(610);
        check(1200);
        assert!(all.iter().all(|live| !is_abandoned(live)), "the human acted without listening");
        check(1210);
        assert_eq!(all.map(|live| is_abandoned(live)), [true, false, false]);
        wait_until("the match ends", || left.is_over());
        let replay: Value = serde_json::from_str(&left.replay()).unwrap();
        assert_eq!((replay["public"]["turns"].as_array().unwrap().len(), &replay["public"]["scores"]), (1, &Value::Null));
        assert_eq!(left.summary()["replay"], "saved.json");
        matches.close();
    }

    #[test]
    fn a_replay_records_the_sandbox_tiers_from_the_first_turn_to_the_last() {
        let matches = Arc::new(Matches::new(StayingBots));
        let request = json!({ "seats": ["human", "C", "no tier", "A"], "seed": 1, "turns": 2, "clock_ms": 300 });
        let started = matches.start(&serde_json::from_value(request).unwrap(), &Folder::new("replays".into()), None).unwrap();
        let live = matches.find(started["id"].as_str().unwrap()).unwrap();
        let replay = || serde_json::from_str::<Value>(&live.replay()).unwrap();
        assert_eq!(replay()["private"]["sandbox"], json!([null, "C", null, "A"]));
        wait_until("the clock of the human ends the match", || live.is_over());
        assert_eq!(replay()["private"]["sandbox"], json!([null, "C", null, "A"]));
        assert_eq!(replay()["public"]["turns"].as_array().unwrap().len(), 2);
        matches.close();
    }
}
