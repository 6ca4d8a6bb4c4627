//! Training runs: sage's net learns by self-play.
//!
//! A run is a folder of files that are written completely or not at all: chunks of games, nets with their losses, blocks of
//! measurements. Everything else is computed from them, so the same command continues an interrupted run.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

mod curve;
mod elsewhere;
pub mod given;
mod opponents;
pub mod options;
pub mod play;
mod progress;
mod record;
mod store;
mod task;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_bots::net::Net;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::progress::Shown;
use pacman2_console::workers::{self, Progress};
use pacman2_training::{DuelBlock, Fit, GameRecord, League, LeaguePlayer, Sample, SelfPlay, Standings};

use curve::{Duel, Learned, Point};
use elsewhere::{Elsewhere, News};
use opponents::OpponentTable;
use options::TrainOptions;
use progress::Reporter;
use store::RunFolder;
use task::{Done, Task};

/// The number of games in a file.
const CHUNK: u32 = 10;
/// One of this many games is held out for testing.
const HELD_OUT: usize = 10;
/// The number of passes over the samples.
const EPOCHS: u32 = 15;
/// The distance between the seeds of the games' maps and of the measurements' maps.
const DUEL_SEED_OFFSET: i32 = 100_000_000;

/// Trains nets as the options say, or goes on with a run that was interrupted.
///
/// # Errors
///
/// If the folder has another run, or cannot be read or written.
pub fn run(options: &TrainOptions) -> anyhow::Result<ExitCode> {
    let store = RunFolder::open(&options.folder, &options.net)?;
    let stop = stop_on_interrupt()?;
    let elsewhere = if options.elsewhere { Some(Elsewhere::new(&stop, &options.net)?) } else { None };
    let reporter =
        Reporter::new(Shown::from_options(options.json, options.elsewhere), if options.elsewhere { 1 } else { options.threads });
    let mut run = Run { options, store, stop: &stop, reporter, elsewhere };
    match run.all_generations()? {
        Some(curve) => {
            run.reporter.end(&curve, options.net.reference(), &run.store.result())?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            run.reporter.interrupted(&options.folder);
            Ok(INTERRUPTED.into())
        }
    }
}

/// A run in progress. Methods return `None` if they were interrupted.
struct Run<'a> {
    options: &'a TrainOptions,
    store: RunFolder,
    stop: &'a AtomicBool,
    reporter: Reporter,
    /// What plays the games, if it is not this process.
    elsewhere: Option<Elsewhere>,
}

impl Run<'_> {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn all_generations(&mut self) -> anyhow::Result<Option<Vec<Point>>> {
        let options = &self.options.net;
        let mut nets: Vec<Arc<Net>> = Vec::new();
        let mut window: Vec<Lessons> = Vec::new();
        let mut curve = Vec::new();
        for generation in 1..=self.options.generations {
            self.reporter.begin(generation, self.options.generations);
            let league = self.league_of_games(&nets, &window);
            let Some(lessons) = self.games(generation, &league)? else { return Ok(None) };
            window.push(lessons);
            if window.len() > options.window as usize {
                window.remove(0);
            }
            let Some((net, learned)) = self.fit(generation, nets.last(), &window)? else { return Ok(None) };
            nets.push(Arc::new(net));
            let Some(duels) = self.duels(generation, &options.league(&nets))? else { return Ok(None) };
            let point = Point { generation, learned, duels };
            self.reporter.measured(&point);
            curve.push(point);
            self.store.write_curve(&curve)?;
        }
        if let Some(net) = nets.last() {
            self.store.write_result(net, self.options.generations, &self.options.net)?;
        }
        Ok(Some(curve))
    }

    /// Returns the league of a generation's games, whose opponents are drawn by what the games before it showed.
    fn league_of_games(&self, nets: &[Arc<Net>], window: &[Lessons]) -> League {
        let options = &self.options.net;
        let league = options.league(nets);
        if !options.has_special_opponents() {
            return league;
        }
        let standings = options.prioritise.then(|| {
            let mut standings = Standings::default();
            window.iter().for_each(|lessons| standings.add_all(&lessons.standings));
            standings
        });
        let opponents = league.opponents(&options.opponents, standings.as_ref());
        league.with_opponents(opponents)
    }

    /// Returns what a generation's games teach. They are read or played now.
    fn games(&mut self, generation: u32, league: &League) -> anyhow::Result<Option<Lessons>> {
        let games = self.options.net.games;
        let first = self.options.net.first_seed + (generation as i32 - 1) * games as i32;
        let chunks = games.div_ceil(CHUNK);
        let seeds = |chunk: u32| (chunk * CHUNK..games.min((chunk + 1) * CHUNK)).map(move |game| first + game as i32);
        let mut chunks_of_games: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for chunk in 0..chunks {
            chunks_of_games.push(self.store.read_games(generation, chunk, seeds(chunk))?);
        }
        let missing: Vec<u32> = (0..chunks).filter(|&chunk| chunks_of_games[chunk as usize].is_none()).collect();
        self.reporter.games_begin(
            chunks_of_games.iter().flatten().map(|games| samples_of(games)).sum(),
            chunks_of_games.iter().flatten().flatten().count(),
            games,
        );
        let opponents = league.special_opponents().map(OpponentTable::new);
        if let Some(opponents) = &opponents {
            self.reporter.opponents(opponents);
        }
        let task = |chunk: u32| {
            let games = CHUNK.min(games - chunk * CHUNK);
            (chunk, Task::Games { first_seed: first + (chunk * CHUNK) as i32, games, opponents: opponents.clone() })
        };
        self.do_tasks(missing.into_iter().map(task).collect(), league, |run, chunk, done| {
            let Done::Games(records) = done else { return Ok(()) };
            run.store.write_games(generation, chunk, &records)?;
            run.reporter.games_played(records.len(), samples_of(&records));
            chunks_of_games[chunk as usize] = Some(records);
            Ok(())
        })?;
        if !self.goes_on() {
            return Ok(None);
        }
        let mut lessons = Lessons::default();
        let search_share = self.options.net.search_share as f32 / 100.0;
        for (number, record) in chunks_of_games.into_iter().flatten().flatten().enumerate() {
            let of_game = record.samples(search_share).map_err(bad_input)?;
            if number % HELD_OUT == HELD_OUT - 1 { &mut lessons.held_out } else { &mut lessons.training }.extend(of_game);
            if self.options.net.prioritise {
                lessons.standings.add(&record, league.newest()).map_err(bad_input)?;
            }
        }
        Ok(Some(lessons))
    }

    /// Does these tasks. `watch` gets the number of each and what was done, in any order.
    fn do_tasks(
        &mut self,
        tasks: Vec<(u32, Task)>,
        league: &League,
        mut watch: impl FnMut(&mut Self, u32, Done) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (stop, options) = (self.stop, self.options);
        let play = SelfPlay { league, simulations: options.net.simulations, seed: options.net.seed };
        if let Some(mut elsewhere) = self.elsewhere.take() {
            let folder = self.store.folder().to_owned();
            let done = elsewhere.do_tasks(tasks, &play, &folder, stop, |news| match news {
                News::Done(number, done) => watch(self, number, done),
                News::Nodes(nodes) => {
                    self.reporter.set_nodes(&nodes);
                    Ok(())
                }
            });
            self.elsewhere = Some(elsewhere);
            return done;
        }
        let goes_on = || !stop.load(Ordering::Relaxed);
        let job = |(): &mut (), (number, task): (u32, Task)| task.run(&play, goes_on).transpose().map(|done| (number, done));
        let threads = options.threads.min(tasks.len());
        workers::run(
            threads,
            tasks,
            stop,
            || (),
            job,
            |progress| {
                let Progress::Done((number, done)) = progress else { return Ok(()) };
                watch(self, number, done?)
            },
        )
    }

    /// Returns the net of a generation, which is read or trained now, from the previous net on.
    fn fit(
        &mut self,
        generation: u32,
        previous: Option<&Arc<Net>>,
        window: &[Lessons],
    ) -> anyhow::Result<Option<(Net, Learned)>> {
        if let Some(kept) = self.store.read_fit(generation)? {
            return Ok(Some(kept));
        }
        let all = |of: fn(&Lessons) -> &Vec<Sample>| window.iter().flat_map(|lessons| of(lessons).clone()).collect::<Vec<_>>();
        let (training, held_out) = (all(|lessons| &lessons.training), all(|lessons| &lessons.held_out));
        let first = Fit::first_net(self.options.net.seed);
        let hand_made = pacman2_training::loss(&first, &held_out);
        let from = self.options.net.from.as_ref().map(|given| &given.net);
        let start = previous.or(from).map_or(&first, |net| net.as_ref());
        let seed = self.options.net.seed.wrapping_add(generation);
        let fit = Fit { samples: &training, held_out: &held_out, epochs: EPOCHS, seed };
        let (stop, reporter) = (self.stop, &mut self.reporter);
        let learned = fit.learn(start, |epoch| {
            reporter.epoch(epoch, EPOCHS, hand_made);
            !stop.load(Ordering::Relaxed)
        });
        let Some(learned) = learned else { return Ok(None) };
        let (training, held_out) = (training.len(), held_out.len());
        let summary = Learned { training, held_out, best: learned.best, hand_made };
        self.store.write_fit(generation, &learned.net, &summary, &self.options.net)?;
        Ok(Some((learned.net, summary)))
    }

    /// Measures the newest net against the reference and against the previous net.
    fn duels(&mut self, generation: u32, league: &League) -> anyhow::Result<Option<Vec<Duel>>> {
        let (reference, previous) = (self.options.net.reference(), LeaguePlayer::Net(generation - 1));
        let mut others = vec![reference];
        if league.has(previous) && !league.plays_alike(reference, previous) {
            others.push(previous);
        }
        let mut duels = Vec::new();
        for other in others {
            let Some(blocks) = self.duel(generation, league, other)? else { return Ok(None) };
            duels.push(Duel { other, blocks });
        }
        Ok(Some(duels))
    }

    fn duel(&mut self, generation: u32, league: &League, other: LeaguePlayer) -> anyhow::Result<Option<Vec<DuelBlock>>> {
        let maps = self.options.net.measure;
        let first = self.options.net.first_seed + DUEL_SEED_OFFSET;
        let mut blocks = (0..maps)
            .map(|number| self.store.read_block(generation, other, first + number as i32))
            .collect::<anyhow::Result<Vec<Option<DuelBlock>>>>()?;
        let missing: Vec<u32> = (0..maps).filter(|&number| blocks[number as usize].is_none()).collect();
        self.reporter.duel_begin(other, maps - missing.len() as u32, maps);
        let task = |number: u32| (number, Task::Duel { against: other.to_string(), map: first + number as i32 });
        self.do_tasks(missing.into_iter().map(task).collect(), league, |run, number, done| {
            let Done::Duel(block) = done else { return Ok(()) };
            run.store.write_block(generation, other, &block)?;
            run.reporter.duel_played();
            blocks[number as usize] = Some(block);
            Ok(())
        })?;
        Ok(blocks.into_iter().collect())
    }
}

/// What the games of a generation teach: training samples, held-out samples, and who does well against the newest net.
#[derive(Default)]
struct Lessons {
    training: Vec<Sample>,
    held_out: Vec<Sample>,
    standings: Standings,
}

fn samples_of(records: &[GameRecord]) -> usize {
    records.iter().map(|record| record.turns.len()).sum()
}
