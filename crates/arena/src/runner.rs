//! Plays the games of schedules that are not in the arena yet.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_jobs::exchange::Exchange;
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::store::ArenaSettings;
use pacman2_tournament::{Block, BotVersion, GameResult, Job, Store};

use super::candidate;
use super::elsewhere::Elsewhere;
use super::executor::{Event, Executor};
use super::game_limits::GameLimits;
use super::game_player::{Concurrency, GamePlayer, PendingGame};
use super::local::LocalGames;
use super::progress::GameProgress;

/// Where games are played, and how many at the same time.
#[derive(Clone, Default)]
pub struct PlayOptions {
    /// The number of games at the same time; by default what the cores allow.
    pub games_at_once: Option<usize>,
    /// Whether games are played elsewhere: jobs go to standard output, and results come from standard input.
    pub elsewhere: bool,
    /// Which bots run in the sandbox.
    pub sandbox: SandboxOptions,
}

impl PlayOptions {
    /// Returns which bots run in the sandbox, with the labels of versions that play in place of the names of trusted bots.
    #[must_use]
    pub fn sandbox_of(&self, players: &[&BotVersion]) -> SandboxOptions {
        let label_of =
            |trusted: &String| players.iter().find(|bot| bot.name == *trusted).map_or(trusted.clone(), |bot| bot.label());
        SandboxOptions { trust: self.sandbox.trust.iter().map(label_of).collect(), ..self.sandbox.clone() }
    }
}

/// Plays games between the bots of an arena.
pub struct Runner<'a> {
    games: Games,
    venue: Venue<'a>,
    /// How many games and bots run at the same time.
    pub concurrency: Concurrency,
    stop: &'a AtomicBool,
}

/// Where games are played.
enum Venue<'a> {
    Here(LocalGames<'a>),
    Elsewhere(Box<Elsewhere>),
}

/// What the ids of games depend on.
pub struct Games {
    settings: ArenaSettings,
    /// All bots of the arena.
    pub bots: Vec<BotVersion>,
}

impl Games {
    /// Reads the bots and settings of an arena.
    pub fn from_store(store: &Store) -> anyhow::Result<Games> {
        Ok(Games { settings: GameLimits::from_store(store)?.stored, bots: store.bots()? })
    }

    /// Returns the games of a block.
    pub(crate) fn of_block(&self, block: &Block) -> Vec<PendingGame> {
        let ids: Vec<String> = block.jobs.iter().map(|job| self.id_of(job)).collect();
        let block_id = Store::id_of_block(&ids);
        let games = block.jobs.iter().zip(ids);
        games.map(|(&job, id)| PendingGame { job, id, block: block_id.clone() }).collect()
    }

    fn id_of(&self, job: &Job) -> String {
        Store::id_of(&self.settings, &self.bots, job)
    }
}

/// Gets the results of a block.
type OnBlock<'a> = &'a mut (dyn FnMut(Vec<GameResult>, &mut GameProgress) -> anyhow::Result<ControlFlow<()>> + 'a);

/// How playing blocks ended.
pub enum Outcome {
    /// All games are in the store.
    Complete,
    /// The caller needs no more blocks. This many games were begun for later blocks.
    Decided {
        /// The number of these games.
        wasted: usize,
    },
    /// The program was asked to stop.
    Interrupted,
}

impl<'a> Runner<'a> {
    /// Prepares to play where the options say.
    ///
    /// # Errors
    ///
    /// If games are played here, and a program is gone or has changed since its bot was added.
    pub fn new(
        store: &Store,
        policy: &'a SandboxPolicy,
        players: &[&BotVersion],
        options: &PlayOptions,
        stop: &'a Arc<AtomicBool>,
    ) -> anyhow::Result<Runner<'a>> {
        let games = Games::from_store(store)?;
        if options.elsewhere {
            let tier = options.sandbox.require_tier.or(policy.required());
            let elsewhere = Elsewhere::new(store, Exchange::new(stop), tier)?;
            let concurrency = Concurrency::from_machine(Some(elsewhere.slots()));
            return Ok(Runner { games, venue: Venue::Elsewhere(Box::new(elsewhere)), concurrency, stop });
        }
        let concurrency = Concurrency::from_machine(options.games_at_once);
        policy.share_tasks(concurrency.bots_at_once());
        let bots = candidate::load_bots(store, policy, players.iter().copied())?;
        let local = LocalGames {
            player: GamePlayer { folder: store.folder().to_owned(), policy, ask_mode: concurrency.ask_mode, stop },
            bots: bots.into_iter().map(|(id, bot)| (id, Arc::new(bot))).collect(),
            limits: GameLimits::from_store(store)?,
            games_at_once: concurrency.games_at_once,
        };
        Ok(Runner { games, venue: Venue::Here(local), concurrency, stop })
    }

    /// Returns the settings of the arena.
    pub fn settings(&self) -> &ArenaSettings {
        &self.games.settings
    }

    /// Returns all bots of the arena.
    pub fn bots(&self) -> &[BotVersion] {
        &self.games.bots
    }

    /// Returns how many games of these blocks are in the store.
    pub(crate) fn count_known(&self, store: &Store, blocks: &[Block]) -> anyhow::Result<usize> {
        let mut known = 0;
        for job in blocks.iter().flat_map(|block| &block.jobs) {
            known += usize::from(store.has_game(&self.games.id_of(job))?);
        }
        Ok(known)
    }

    /// Plays a plan. Returns `false` if it was interrupted.
    pub fn run_plan(&mut self, store: &mut Store, plan: &Plan, progress: &mut GameProgress) -> anyhow::Result<bool> {
        if !plan.depends_on_results() {
            return self.run_all(store, plan.stages_without_results().flatten(), progress);
        }
        let mut earlier: Vec<Vec<GameResult>> = Vec::new();
        while let Some(blocks) = plan.stage(&earlier) {
            let mut results = Vec::new();
            let mut collect = |of_block: Vec<GameResult>, _: &mut GameProgress| {
                results.extend(of_block);
                Ok(ControlFlow::Continue(()))
            };
            let all = blocks.len();
            let needed = Needed { on_block: &mut collect, open_blocks: Some(all) };
            let blocks = &mut blocks.into_iter().map(Ok);
            if !matches!(self.play(store, blocks, Some(needed), progress)?, Outcome::Complete) {
                return Ok(false);
            }
            earlier.push(results);
        }
        Ok(true)
    }

    /// Plays all games of these blocks. Returns `false` if it was interrupted.
    pub fn run_all(
        &mut self,
        store: &mut Store,
        blocks: impl Iterator<Item = Block>,
        progress: &mut GameProgress,
    ) -> anyhow::Result<bool> {
        Ok(matches!(self.play(store, &mut blocks.map(Ok), None, progress)?, Outcome::Complete))
    }

    /// Plays blocks until `on_block`, which gets the results block by block in order, breaks off.
    pub(crate) fn run_in_order(
        &mut self,
        store: &mut Store,
        blocks: &mut dyn Iterator<Item = anyhow::Result<Block>>,
        on_block: OnBlock<'_>,
        progress: &mut GameProgress,
    ) -> anyhow::Result<Outcome> {
        self.play(store, blocks, Some(Needed { on_block, open_blocks: None }), progress)
    }

    fn play<'b>(
        &'b mut self,
        store: &mut Store,
        blocks: &'b mut dyn Iterator<Item = anyhow::Result<Block>>,
        needed: Option<Needed<'b>>,
        progress: &mut GameProgress,
    ) -> anyhow::Result<Outcome> {
        let mut play = Play { games: &self.games, blocks, stop: self.stop, needed, open: OpenBlocks::default() };
        match &mut self.venue {
            Venue::Here(games) => games.with_threads(|executor| play.run(executor, store, progress)),
            Venue::Elsewhere(elsewhere) => play.run(&mut **elsewhere, store, progress),
        }
    }
}

/// What a caller needs of the results.
struct Needed<'a> {
    /// Gets the results of a block; blocks come in order.
    on_block: OnBlock<'a>,
    /// How many blocks may be open; by default what the executor says.
    open_blocks: Option<usize>,
}

/// Playing a sequence of blocks.
struct Play<'a> {
    games: &'a Games,
    blocks: &'a mut dyn Iterator<Item = anyhow::Result<Block>>,
    stop: &'a AtomicBool,
    needed: Option<Needed<'a>>,
    open: OpenBlocks,
}

impl Play<'_> {
    fn run(&mut self, executor: &mut dyn Executor, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Outcome> {
        let outcome = self.until_end(executor, store, progress);
        if outcome.is_err() {
            // If a game cannot be stored, the others need not be played to their end.
            self.stop.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn until_end(
        &mut self,
        executor: &mut dyn Executor,
        store: &mut Store,
        progress: &mut GameProgress,
    ) -> anyhow::Result<Outcome> {
        loop {
            while executor.free_slots() > 0 && !self.stop.load(Ordering::Relaxed) {
                let Some(game) = self.next_missing(executor, store, progress)? else { break };
                executor.begin(game)?;
            }
            let delivered = self.open.delivered;
            if self.deliver(progress)?.is_break() {
                let wasted = self.open.blocks.iter().map(|block| block.begun).sum();
                executor.abandon(store, progress)?;
                return Ok(Outcome::Decided { wasted });
            }
            if self.open.delivered > delivered && !self.stop.load(Ordering::Relaxed) {
                // There may be room for other blocks.
                continue;
            }
            if self.open.is_done() {
                // An error of a block counts only if it was reached.
                return self.open.end.take().map_or(Ok(Outcome::Complete), |end| end.map(|()| Outcome::Complete));
            }
            match executor.wait(store, progress)? {
                Event::Stored(game) => self.open.resolve(&game),
                Event::Nothing => progress.update(),
                Event::Ended => return Ok(Outcome::Interrupted),
            }
        }
    }

    /// Returns the next game that is not in the store; `None` if there is none, or if too many blocks are open.
    fn next_missing(
        &mut self,
        executor: &dyn Executor,
        store: &Store,
        progress: &mut GameProgress,
    ) -> anyhow::Result<Option<PendingGame>> {
        loop {
            if let Some((game, place)) = self.open.queue.pop_front() {
                let places = self.open.waiting.entry(game.id.clone()).or_default();
                places.push(place);
                // The same game may belong to two blocks.
                if places.len() == 1 {
                    self.open.count_begun(place);
                    return Ok(Some(game));
                }
                continue;
            }
            if self.open.end.is_some() {
                return Ok(None);
            }
            if let Some(Needed { open_blocks, .. }) = &self.needed
                && let Some(last) = self.open.blocks.back()
                && self.open.blocks.len() >= open_blocks.unwrap_or_else(|| executor.open_blocks(last.results.len()))
            {
                return Ok(None);
            }
            match self.blocks.next() {
                Some(Ok(block)) => self.open(&block, store, progress)?,
                Some(Err(error)) => self.open.end = Some(Err(error)),
                None => self.open.end = Some(Ok(())),
            }
        }
    }

    fn open(&mut self, block: &Block, store: &Store, progress: &mut GameProgress) -> anyhow::Result<()> {
        let number = self.open.delivered + self.open.blocks.len();
        let mut results = Vec::new();
        for (index, game) in self.games.of_block(block).into_iter().enumerate() {
            let known = store.game(&game.id)?;
            match &known {
                Some(known) => progress.add_known(known),
                None => self.open.queue.push_back((game, Place { block: number, index })),
            }
            results.push(known);
        }
        if self.needed.is_some() {
            self.open.blocks.push_back(OpenBlock { results, begun: 0 });
        }
        Ok(())
    }

    /// Delivers the results of complete blocks in order.
    fn deliver(&mut self, progress: &mut GameProgress) -> anyhow::Result<ControlFlow<()>> {
        let Some(Needed { on_block, .. }) = &mut self.needed else { return Ok(ControlFlow::Continue(())) };
        while self.open.blocks.front().is_some_and(|block| block.results.iter().all(Option::is_some)) {
            let Some(block) = self.open.blocks.pop_front() else { break };
            self.open.delivered += 1;
            if on_block(block.results.into_iter().flatten().collect(), progress)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The blocks whose games are being played.
#[derive(Default)]
struct OpenBlocks {
    /// Games that are not begun yet.
    queue: VecDeque<(PendingGame, Place)>,
    /// The places of the games that were begun, by their ids.
    waiting: HashMap<String, Vec<Place>>,
    /// The blocks whose results are needed, and how many of them were delivered before.
    blocks: VecDeque<OpenBlock>,
    delivered: usize,
    /// How the sequence of blocks ended, if it has.
    end: Option<anyhow::Result<()>>,
}

/// A place in a block.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    index: usize,
}

struct OpenBlock {
    results: Vec<Option<GameResult>>,
    /// How many of its games were begun.
    begun: usize,
}

impl OpenBlocks {
    fn is_done(&self) -> bool {
        self.end.is_some() && self.queue.is_empty() && self.waiting.is_empty() && self.blocks.is_empty()
    }

    fn block(&mut self, place: Place) -> Option<&mut OpenBlock> {
        self.blocks.get_mut(place.block - self.delivered)
    }

    fn count_begun(&mut self, place: Place) {
        if let Some(block) = self.block(place) {
            block.begun += 1;
        }
    }

    /// Puts a result into the blocks that wait for it.
    fn resolve(&mut self, game: &GameResult) {
        for place in self.waiting.remove(&game.id).unwrap_or_default() {
            if let Some(block) = self.block(place) {
                block.results[place.index] = Some(game.clone());
            }
        }
    }
}
