//! The hall where matches are played: several at a time, each on a thread of its own.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use pacman2_maps::Map;
use pacman2_match::referee::{self, AskMode, Players};
use pacman2_replay::SeatInfo;
use pacman2_rules::{BySeat, Seat};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::live::Live;
use super::match_request::{HUMAN, MatchRequest};
use super::response::ApiError;
use super::{Backend, SeatedBot};
use crate::human::Human;

/// How many matches can be played at a time.
const RUNNING_AT_MOST: usize = 4;
/// How many matches are remembered; older ones are in the folder only.
const KEPT_AT_MOST: usize = 50;
/// How many bytes of replays are kept in memory, of matches that are over.
const BYTES_AT_MOST: usize = 256 * 1024 * 1024;
/// The longest text that names a bot.
const BOT_BYTES: usize = 4096;

/// All matches.
pub(super) struct Hall {
    outside: Arc<dyn Backend>,
    matches: Mutex<Matches>,
    places: Arc<Semaphore>,
    /// Tells whenever a match begins or ends.
    pub(super) changed: broadcast::Sender<()>,
}

#[derive(Default)]
struct Matches {
    /// The oldest first.
    all: VecDeque<Arc<Live>>,
    threads: Vec<JoinHandle<()>>,
    closed: bool,
}

impl Hall {
    pub(super) fn new(outside: impl Backend) -> Hall {
        Hall {
            outside: Arc::new(outside),
            matches: Mutex::default(),
            places: Arc::new(Semaphore::new(RUNNING_AT_MOST)),
            changed: broadcast::Sender::new(1),
        }
    }

    /// The program that runs the server.
    pub(super) fn outside(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.outside)
    }

    /// Starts a match. It may take long to find its bots.
    pub(super) fn start(self: &Arc<Hall>, wish: MatchRequest) -> Result<Value, ApiError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| ApiError::too_many("as many matches are running as can be; abandon one or wait"))?;
        let (map, warnings) = wish.map(drawn_seed()?).map_err(ApiError::bad_request)?;
        let manner = wish.manner().map_err(ApiError::bad_request)?;
        let clock = wish.clock().map_err(ApiError::bad_request)?;
        let mut guests = BySeat::from_fn(|_| None);
        for seat in Seat::ALL {
            let text = &wish.seats[seat.index()];
            if text != HUMAN {
                guests[seat] = Some(self.seat(seat, &wish.seats, &manner)?);
            }
        }
        let infos = BySeat::from_fn(|seat| {
            let human = SeatInfo::named(HUMAN);
            guests[seat].as_ref().map_or(human, |guest| guest.info.clone())
        });
        let tiers = BySeat::from_fn(|seat| guests[seat].as_ref().and_then(|guest| guest.tier));
        let live = Arc::new(Live::new(new_id()?, &map, infos, manner.limits, tiers));
        let players = guests.map(|guest| match guest {
            Some(guest) => guest.player,
            None => Box::new(Human::new(Arc::clone(&live.desk), clock)),
        });
        self.begin(Arc::clone(&live), Table { map, players, thinking: wish.thinking(), _place: place })?;
        Ok(json!({ "id": live.id, "warnings": warnings }))
    }

    fn seat(&self, seat: Seat, table: &[String; 4], manner: &super::MatchOptions) -> Result<SeatedBot, ApiError> {
        let text = &table[seat.index()];
        if text.len() > BOT_BYTES {
            return Err(ApiError::bad_request(format!("seat {seat}: a bot is named in at most {BOT_BYTES} bytes")));
        }
        self.outside.sit(text, table, manner).map_err(|sentence| ApiError::bad_request(format!("seat {seat}: {sentence}")))
    }

    fn begin(self: &Arc<Hall>, live: Arc<Live>, table: Table) -> Result<(), ApiError> {
        let mut matches = self.matches();
        if matches.closed {
            return Err(ApiError::broken("this server is about to end"));
        }
        let hall = Arc::clone(self);
        let playing = Arc::clone(&live);
        let thread = thread::Builder::new().name("match".to_owned()).spawn(move || hall.play(&playing, table));
        let thread = thread.map_err(|error| ApiError::broken(format!("no match can be started: {error}")))?;
        matches.all.push_back(live);
        matches.forget();
        matches.threads.retain(|thread| !thread.is_finished());
        matches.threads.push(thread);
        drop(matches);
        let _ = self.changed.send(());
        Ok(())
    }

    fn play(&self, live: &Live, table: Table) {
        let Table { map, mut players, thinking, _place } = table;
        let playing = AssertUnwindSafe(|| referee::play(map, &mut players, thinking, &live.stop, |_, played| live.go_on(played)));
        let played = panic::catch_unwind(playing);
        drop(players);
        pacman2_runner::sweep();
        live.end(match played {
            Ok(turns) if turns.is_empty() => Ok(None),
            Ok(_) => self.outside.keep(&live.replay().0).map(Some),
            Err(_) => Err("this server has failed at the match; its terminal says more".to_owned()),
        });
        drop(_place);
        let _ = self.changed.send(());
    }

    /// All matches, the newest first.
    pub(super) fn list(&self) -> Vec<Value> {
        self.matches().all.iter().rev().map(|live| live.outline()).collect()
    }

    pub(super) fn find(&self, id: &str) -> Result<Arc<Live>, ApiError> {
        let found = self.matches().all.iter().find(|live| live.id == id).cloned();
        found
            .ok_or_else(|| ApiError::not_found("there is no such match; it may have been long ago, or before the server started"))
    }

    /// Abandons all matches and waits until none is left.
    pub(super) fn close(&self) {
        let mut matches = self.matches();
        matches.closed = true;
        matches.all.iter().for_each(|live| live.abandon());
        let threads = std::mem::take(&mut matches.threads);
        drop(matches);
        for thread in threads {
            // What a match has failed at was told to who watched it.
            let _ = thread.join();
        }
    }

    fn matches(&self) -> MutexGuard<'_, Matches> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A match that has everything to begin.
struct Table {
    map: Map,
    players: Players,
    thinking: AskMode,
    _place: OwnedSemaphorePermit,
}

impl Matches {
    /// Forgets the oldest matches that are over, as far as there are too many.
    fn forget(&mut self) {
        let mut weight: usize = self.all.iter().map(|live| live.weight()).sum();
        let mut number = self.all.len();
        self.all.retain(|live| {
            let is_kept = number <= KEPT_AT_MOST && weight <= BYTES_AT_MOST || !live.is_over();
            if !is_kept {
                number -= 1;
                weight -= live.weight();
            }
            is_kept
        });
    }
}

fn new_id() -> Result<String, ApiError> {
    Ok(format!("{:016x}", getrandom::u64().map_err(ApiError::broken)?))
}

/// A seed for who gave none.
fn drawn_seed() -> Result<i32, ApiError> {
    Ok((getrandom::u32().map_err(ApiError::broken)? >> 1) as i32)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use pacman2_botzone::bot::{BotReply, BotView};
    use pacman2_match::player::InProcess;
    use pacman2_runner::Tier;

    use super::*;

    /// Its bots stay where they are; how well one is shut in is its name.
    struct Shelter;

    impl Backend for Shelter {
        fn sit(&self, text: &str, _: &[String; 4], _: &super::super::MatchOptions) -> Result<SeatedBot, String> {
            let tier = [Tier::A, Tier::B, Tier::C].into_iter().find(|tier| tier.name() == text);
            let player = Box::new(InProcess::new(|_: &BotView| BotReply::default(), String::new()));
            Ok(SeatedBot { info: SeatInfo::named(text), player, tier })
        }

        fn built_in(&self) -> Vec<&'static str> {
            Vec::new()
        }

        fn keep(&self, _: &str) -> Result<String, String> {
            Ok("kept.json".to_owned())
        }

        fn analyse(&self, _: &super::super::AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> Value {
            Value::Null
        }
    }

    #[test]
    fn a_record_says_how_well_each_guest_is_shut_in_from_the_beginning_to_the_end() {
        let hall = Arc::new(Hall::new(Shelter));
        let wish = json!({ "seats": ["human", "C", "nobody", "A"], "seed": 1, "turns": 2, "clock_ms": 300 });
        let begun = hall.start(serde_json::from_value(wish).unwrap()).unwrap_or_else(|_| panic!("it can be played"));
        let live = hall.find(begun["id"].as_str().unwrap()).unwrap_or_else(|_| panic!("it is remembered"));
        let sandbox = || serde_json::from_str::<Value>(&live.replay().0).unwrap()["private"]["sandbox"].clone();
        assert_eq!(sandbox(), json!([null, "C", null, "A"]));
        let begin = Instant::now();
        while !live.is_over() {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody gives an order, and the clock runs");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!((sandbox(), live.replay().1), (json!([null, "C", null, "A"]), 2));
        hall.close();
    }
}
