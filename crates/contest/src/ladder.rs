//! Plays blocks without end: first those that were begun, then for the versions of which least is known.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pacman2_arena::game_player::Concurrency;
use pacman2_arena::progress::GameProgress;
use pacman2_arena::runner::{PlayOptions, Runner};
use pacman2_arena::store::open_store;
use pacman2_console::progress::Shown;
use pacman2_console::text::sanitize;
use pacman2_tournament::ladder::{Ladder, unfinished};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{Block, BotId, BotVersion, Store};

use crate::contest::{Contest, Halt};

/// How long to wait if there is nothing to play.
const IDLE: Duration = Duration::from_millis(500);
/// How long to wait after a game failed, which is a fault of this machine.
const AFTER_FAILURE: Duration = Duration::from_secs(10);
/// The games of a block.
const GAMES_PER_BLOCK: usize = 4;

/// Plays until everything is to stop.
pub(crate) fn run(contest: &Contest, halt: &Halt) -> anyhow::Result<()> {
    let mut store = open_store(contest.arena())?;
    let mut player = Player::new(contest, halt, &store)?;
    while !halt.all.load(Ordering::Relaxed) {
        match player.play_next(&mut store) {
            Ok(true) => {}
            Ok(false) => Halt::wait(&halt.all, IDLE),
            Err(error) => {
                eprintln!("pacman2: a game of the ladder failed: {}", sanitize(&format!("{error:#}")));
                Halt::wait(&halt.all, AFTER_FAILURE);
                halt.games.store(false, Ordering::Relaxed);
            }
        }
    }
    Ok(())
}

/// Plays blocks.
struct Player<'a> {
    contest: &'a Contest,
    halt: &'a Halt,
    ladder: Ladder,
    next_seed: i32,
    /// Blocks of which some games were played.
    unfinished: Vec<Block>,
    /// Bots whose program is missing or broken.
    broken: BTreeSet<BotId>,
    games_at_once: usize,
}

impl<'a> Player<'a> {
    fn new(contest: &'a Contest, halt: &'a Halt, store: &Store) -> anyhow::Result<Player<'a>> {
        let games = store.games(&Filter::default())?;
        let mut ladder = Ladder::default();
        games.iter().for_each(|game| ladder.observe(game));
        let next_seed = games.iter().map(|game| game.seed + 1).max().unwrap_or(1);
        let games_at_once = Concurrency::from_machine(contest.settings().ladder.games_at_once).games_at_once;
        let broken = BTreeSet::new();
        Ok(Player { contest, halt, ladder, next_seed, unfinished: unfinished(&games), broken, games_at_once })
    }

    /// Plays the next blocks. Returns `false` if there are none.
    fn play_next(&mut self, store: &mut Store) -> anyhow::Result<bool> {
        let bots = store.bots()?;
        let blocks = self.next_blocks(&bots);
        if blocks.is_empty() {
            return Ok(false);
        }
        let plays = |bot: &&BotVersion| blocks.iter().any(|block| block.jobs[0].seats.0.contains(&bot.id));
        let players: Vec<&BotVersion> = bots.iter().filter(plays).collect();
        let played = self.play(store, &blocks, &players);
        if played.is_err() {
            let broken: Vec<BotId> = players.iter().filter(|bot| self.is_broken(store, bot)).map(|bot| bot.id).collect();
            // Games that cannot be played for another reason are tried again.
            let is_playable = |block: &Block| !block.jobs[0].seats.0.iter().any(|bot| broken.contains(bot));
            self.unfinished.extend(blocks.into_iter().filter(is_playable));
            self.broken.extend(broken);
        }
        played.map(|()| true)
    }

    fn next_blocks(&mut self, bots: &[BotVersion]) -> Vec<Block> {
        let count = self.games_at_once.div_ceil(GAMES_PER_BLOCK).max(1);
        if !self.unfinished.is_empty() {
            return self.unfinished.split_off(self.unfinished.len().saturating_sub(count));
        }
        let players: Vec<&BotVersion> = bots.iter().filter(|bot| bot.is_active && !self.broken.contains(&bot.id)).collect();
        let enough = self.contest.settings().ladder.games_per_version;
        let seeks = |bot: &&&BotVersion| !bot.is_built_in() && self.ladder.games(bot.id) < enough;
        let seeking: Vec<BotId> = players.iter().filter(seeks).map(|bot| bot.id).collect();
        let players: Vec<BotId> = players.iter().map(|bot| bot.id).collect();
        let blocks = self.ladder.next_blocks(self.next_seed, count, &seeking, &players);
        self.next_seed += blocks.len() as i32;
        blocks
    }

    /// Plays the games of these blocks that are missing, and counts them.
    fn play(&mut self, store: &mut Store, blocks: &[Block], players: &[&BotVersion]) -> anyhow::Result<()> {
        let mut runner = self.runner(store, players)?;
        let id_of = |job| Store::id_of(runner.settings(), runner.bots(), job);
        let mut missing: Vec<String> = blocks.iter().flat_map(|block| &block.jobs).map(id_of).collect();
        for id in std::mem::take(&mut missing) {
            if !store.has_game(&id)? {
                missing.push(id);
            }
        }
        let mut progress = GameProgress::new(runner.bots(), None, Shown { json: false, line: false });
        let played = runner.run_all(store, blocks.iter().cloned(), &mut progress);
        for id in missing {
            if let Some(game) = store.game(&id)? {
                self.ladder.observe(&game);
            }
        }
        played.map(drop)
    }

    fn runner(&self, store: &Store, players: &[&BotVersion]) -> anyhow::Result<Runner<'a>> {
        let options = PlayOptions { games_at_once: Some(self.games_at_once), ..PlayOptions::default() };
        Runner::new(store, self.contest.policy(), players, &options, &self.halt.games)
    }

    fn is_broken(&self, store: &Store, bot: &BotVersion) -> bool {
        self.runner(store, &[bot]).is_err()
    }
}
