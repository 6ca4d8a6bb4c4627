//! An arena with invented games: eight bots with all kinds of names and faults, one of them in two versions. The games
//! follow from the bots' strengths and a fixed sequence of random numbers, so they are the same in each run.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::path::Path;

use pacman2_maps::{Map, MapSize};
use pacman2_match::record::record;
use pacman2_replay::{LimitsInfo, SeatInfo};
use pacman2_rules::BySeat;
use pacman2_tournament::store::{ArenaSettings, NewBot};
use pacman2_tournament::{Block, BotId, BotVersion, Fault, GameResult, Job, SeatResult, Store};
use serde_json::Value;

/// A name that would do harm if it were markup.
pub(crate) const MARKUP: &str = "</script><img src=x onerror=alert(1)>";
/// Names that are longer than any table has room for in one line.
pub(crate) const LONG_ENGLISH: &str = "a-name-that-is-much-longer-than-any-table-has-room-for-in-one-line";
pub(crate) const LONG_CHINESE: &str = "名字特别长的程序在任何宽度的窗口里都应当从头到尾看得清楚而不是只剩下一个字";
/// For each bot: name, mean strength, kind of fault, and the percentage of games with a fault.
const BOTS: [(&str, i32, &str, u64); 9] = [
    ("海豚", 24, "TLE", 4),
    ("greedy", 30, "", 0),
    ("张三的吃豆人", 27, "RE", 3),
    (LONG_ENGLISH, 22, "", 0),
    (MARKUP, 18, "ILLEGAL", 6),
    (LONG_CHINESE, 16, "", 0),
    ("王五\u{202e}backwards", 20, "NJ", 2),
    ("random", 6, "", 0),
    ("海豚", 33, "TLE", 1),
];
/// 2026-11-20, 08:00 UTC.
const BEGIN: i64 = 1_795_161_600;

pub(crate) fn settings() -> ArenaSettings {
    ArenaSettings { time_ms: 1000, memory_mb: 256, turns: 100, ruling: pacman2_rules::ForfeitRuling::Judge }
}

/// Creates a store with these bots and `blocks` blocks of games. The last bot is added after half of them.
pub(crate) fn store(folder: &Path, blocks: i32) -> Store {
    let mut store = Store::create(folder, &settings()).unwrap();
    for number in 0..BOTS.len() - 1 {
        add(&mut store, number);
    }
    let play = |store: &mut Store, seeds: std::ops::Range<i32>| {
        for seed in seeds {
            play_block(store, seed);
        }
    };
    play(&mut store, 1..blocks / 2 + 1);
    add(&mut store, BOTS.len() - 1);
    play(&mut store, blocks / 2 + 1..blocks + 1);
    store
}

fn add(store: &mut Store, number: usize) {
    let name = BOTS[number].0.to_owned();
    let command = format!("/home/owner/secret/bot{number}.py");
    store.add_bot(&NewBot { name, version: None, program: format!("{number:064x}"), command }).unwrap();
}

/// Adds the games of one block. The seed selects four active bots.
pub(crate) fn play_block(store: &mut Store, seed: i32) {
    let bots: Vec<BotVersion> = store.bots().unwrap().into_iter().filter(|bot| bot.is_active).collect();
    let mut rng = Rng(seed as u64);
    let mut pool = bots.clone();
    let four = [(); 4].map(|()| pool.remove(rng.below(pool.len() as u64) as usize).id);
    let block = Block::from_four(seed, four);
    let ids: Vec<String> = block.jobs.iter().map(|job| Store::id_of(&settings(), &bots, job)).collect();
    for (job, id) in block.jobs.iter().zip(&ids) {
        let game = game(job, id, &Store::id_of_block(&ids), &mut rng);
        let replay = replay(job, &bots);
        store.put_game(&game, &replay["public"].to_string(), &replay["private"].to_string()).unwrap();
    }
}

fn game(job: &Job, id: &str, block: &str, rng: &mut Rng) -> GameResult {
    let strengths = BySeat::from_fn(|seat| BOTS[job.seats[seat].0 as usize - 1].1 - 20 + rng.below(40) as i32);
    let strongest = |than: i32| strengths.0.iter().filter(|&&strength| strength > than).count();
    let total: i32 = strengths.0.iter().map(|strength| strength.max(&1)).sum();
    let seats = BySeat::from_fn(|seat| {
        let (_, _, kind, fault_percent) = BOTS[job.seats[seat].0 as usize - 1];
        let place = 1 + strongest(strengths[seat]);
        let share = i64::from(strengths[seat].max(1)) * 10_000 / i64::from(total);
        let fault = rng.below(100) < fault_percent;
        SeatResult {
            bot: job.seats[seat],
            hundredths: 1000 * (5 - place as i64) + share,
            place: place as u8,
            strength: strengths[seat],
            fault: fault.then(|| Fault { kind: kind.parse().unwrap(), turn: 1 + rng.below(100) as u32 }),
            slowest_us: 900 + rng.below(400_000),
        }
    });
    GameResult {
        id: id.to_owned(),
        block: block.to_owned(),
        seed: job.seed,
        width: 6 + (job.seed % 6) as u8,
        height: 6 + (job.seed / 6 % 6) as u8,
        turns: 40 + rng.below(60) as u32,
        seats,
        finished: BEGIN + 37 * i64::from(job.seed),
        seconds: 7.5,
        replayed: u32::from(rng.below(80) == 0),
        node: None,
    }
}

/// Returns a replay without turns.
fn replay(job: &Job, bots: &[BotVersion]) -> Value {
    let map = Map::generate(job.seed, MapSize::default(), pacman2_rules::Ruleset::default()).unwrap();
    let name = |id: BotId| bots.iter().find(|bot| bot.id == id).unwrap().label();
    let seats = job.seats.map(|id| SeatInfo::named(name(id)));
    let text = record(&map, seats, LimitsInfo::default(), BySeat::from_fn(|_| None), &[]).write();
    serde_json::from_str(&text).unwrap()
}

/// A small random number generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        self.0 ^= self.0 >> 29;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}
