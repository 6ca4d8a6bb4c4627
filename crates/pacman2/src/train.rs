//! `pacman2 train`: learns sage's net by self-play.
//!
//! A run is a folder. What is in it was written whole: games in chunks, a net with what is known of its lesson, the blocks of a
//! measurement. All else follows from that, so whatever stops a run, the same command goes on where it was.

mod crew;
mod curve;
mod progress;
mod store;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pacman2_bots::net::Net;
use pacman2_training::{DuelBlock, Fit, GameRecord, League, LeaguePlayer, Sample, SelfPlay};

use crate::args::TrainArgs;
use crate::failure::bad_input;
use crate::play::{INTERRUPTED, stop_on_interrupt};
use curve::{Duel, Point};
use progress::Progress;
use store::{Learned, Options, Store};

/// So many games are kept in a file.
const CHUNK: u32 = 10;
/// Of so many games, one is held out: the lesson is tested with it.
const HELD_OUT: usize = 10;
/// What is learned from: the games of so many generations.
const REMEMBERED: u32 = 3;
/// How often a lesson goes through its samples.
const EPOCHS: u32 = 15;
/// How far the maps of measurements are from those of the games, by their seeds.
const APART: i32 = 100_000_000;

pub(crate) fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let store = Store::open(&args.out, &Options::of(args))?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let stop = stop_on_interrupt()?;
    let progress = Progress::new(args.json);
    let mut run = Run { args, store, threads: args.threads.map_or(cores, usize::from), stop: &stop, progress };
    match run.all_generations()? {
        Some(curve) => {
            run.progress.end(&curve, &run.store.result())?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            run.progress.interrupted(&args.out);
            Ok(INTERRUPTED.into())
        }
    }
}

/// A run in progress. What can be interrupted answers `None` if it was.
struct Run<'a> {
    args: &'a TrainArgs,
    store: Store,
    threads: usize,
    stop: &'a AtomicBool,
    progress: Progress,
}

impl Run<'_> {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn all_generations(&mut self) -> anyhow::Result<Option<Vec<Point>>> {
        let mut nets: Vec<Arc<Net>> = Vec::new();
        let mut remembered: Vec<Samples> = Vec::new();
        let mut curve = Vec::new();
        for generation in 1..=self.args.generations {
            self.progress.begin(generation, self.args.generations);
            let league = League::new(nets.clone());
            let Some(samples) = self.games(generation, &league)? else { return Ok(None) };
            remembered.push(samples);
            if remembered.len() > REMEMBERED as usize {
                remembered.remove(0);
            }
            let Some((net, learned)) = self.lesson(generation, nets.last(), &remembered)? else { return Ok(None) };
            nets.push(Arc::new(net));
            let Some(duels) = self.duels(generation, &League::new(nets.clone()))? else { return Ok(None) };
            let point = Point { generation, learned, duels };
            self.progress.measured(&point)?;
            curve.push(point);
            self.store.write_curve(&curve)?;
        }
        if let Some(net) = nets.last() {
            self.store.write_result(net, self.args)?;
        }
        Ok(Some(curve))
    }

    /// The games of a generation, those that are kept and those that are yet to be played, as samples.
    fn games(&mut self, generation: u32, league: &League) -> anyhow::Result<Option<Samples>> {
        let games = self.args.games;
        let first = self.args.first_seed + (generation as i32 - 1) * games as i32;
        let chunks = games.div_ceil(CHUNK);
        let seeds = |chunk: u32| (chunk * CHUNK..games.min((chunk + 1) * CHUNK)).map(move |game| first + game as i32);
        let mut kept: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for chunk in 0..chunks {
            kept.push(self.store.read_games(generation, chunk, seeds(chunk))?);
        }
        let missing: Vec<u32> = (0..chunks).filter(|&chunk| kept[chunk as usize].is_none()).collect();
        let play = SelfPlay { league, simulations: self.args.simulations, seed: self.args.seed };
        let (stop, store, progress) = (self.stop, &self.store, &mut self.progress);
        let goes_on = || !stop.load(Ordering::Relaxed);
        progress.games_begin(
            kept.iter().flatten().map(|games| samples_of(games)).sum(),
            kept.iter().flatten().flatten().count(),
            games,
        );
        let job = |chunk: u32| -> anyhow::Result<Option<Vec<GameRecord>>> {
            let records = seeds(chunk).map(|seed| play.play(seed, goes_on).map_err(bad_input));
            records.collect()
        };
        let done = |chunk: u32, records: Vec<GameRecord>| {
            store.write_games(generation, chunk, &records)?;
            progress.games_played(records.len(), samples_of(&records));
            kept[chunk as usize] = Some(records);
            Ok(())
        };
        crew::work(&missing, self.threads, stop, job, done)?;
        if !self.goes_on() {
            return Ok(None);
        }
        let mut samples = Samples::default();
        for (number, record) in kept.into_iter().flatten().flatten().enumerate() {
            let of_game = record.samples().map_err(bad_input)?;
            if number % HELD_OUT == HELD_OUT - 1 { &mut samples.held_out } else { &mut samples.training }.extend(of_game);
        }
        Ok(Some(samples))
    }

    /// The net that a generation learned, or learns now, beginning with the net before.
    fn lesson(
        &mut self,
        generation: u32,
        before: Option<&Arc<Net>>,
        remembered: &[Samples],
    ) -> anyhow::Result<Option<(Net, Learned)>> {
        if let Some(kept) = self.store.read_lesson(generation)? {
            return Ok(Some(kept));
        }
        let all =
            |of: fn(&Samples) -> &Vec<Sample>| remembered.iter().flat_map(|samples| of(samples).clone()).collect::<Vec<_>>();
        let (training, held_out) = (all(|samples| &samples.training), all(|samples| &samples.held_out));
        let first = Fit::first_net(self.args.seed);
        let hand_made = pacman2_training::loss(&first, &held_out);
        let start = before.map_or(&first, |net| net.as_ref());
        let seed = self.args.seed.wrapping_add(generation);
        let lesson = Fit { samples: &training, held_out: &held_out, epochs: EPOCHS, seed };
        let (stop, progress) = (self.stop, &mut self.progress);
        let learned = lesson.learn(start, |epoch| {
            progress.epoch(epoch, EPOCHS, hand_made);
            !stop.load(Ordering::Relaxed)
        });
        let Some(learned) = learned else { return Ok(None) };
        let (training, held_out) = (training.len(), held_out.len());
        let told = Learned { training, held_out, best: learned.best, hand_made };
        self.store.write_lesson(generation, &learned.net, &told, &Options::of(self.args))?;
        Ok(Some((learned.net, told)))
    }

    /// The newest net against the one before, and against the hand-made evaluation.
    fn duels(&mut self, generation: u32, league: &League) -> anyhow::Result<Option<Vec<Duel>>> {
        let mut others = vec![LeaguePlayer::HandMade];
        if generation > 1 {
            others.push(LeaguePlayer::Net(generation - 1));
        }
        let mut duels = Vec::new();
        for other in others {
            let Some(blocks) = self.duel(generation, league, other)? else { return Ok(None) };
            duels.push(Duel { other, blocks });
        }
        Ok(Some(duels))
    }

    fn duel(&mut self, generation: u32, league: &League, other: LeaguePlayer) -> anyhow::Result<Option<Vec<DuelBlock>>> {
        let maps = self.args.measure;
        let first = self.args.first_seed + APART;
        let mut blocks = (0..maps)
            .map(|number| self.store.read_block(generation, other, first + number as i32))
            .collect::<anyhow::Result<Vec<Option<DuelBlock>>>>()?;
        let missing: Vec<u32> = (0..maps).filter(|&number| blocks[number as usize].is_none()).collect();
        let (stop, store, progress) = (self.stop, &self.store, &mut self.progress);
        let (simulations, players) = (self.args.simulations, [league.newest(), other]);
        progress.duel_begin(other, maps - missing.len() as u32, maps);
        let job = |number: u32| {
            let goes_on = || !stop.load(Ordering::Relaxed);
            DuelBlock::play(league, players, simulations, first + number as i32, goes_on).map_err(bad_input)
        };
        let done = |number: u32, block: DuelBlock| {
            store.write_block(generation, other, &block)?;
            progress.duel_played();
            blocks[number as usize] = Some(block);
            Ok(())
        };
        crew::work(&missing, self.threads, stop, job, done)?;
        Ok(blocks.into_iter().collect())
    }
}

/// Positions that are learned from, and those held out.
#[derive(Default)]
struct Samples {
    training: Vec<Sample>,
    held_out: Vec<Sample>,
}

fn samples_of(records: &[GameRecord]) -> usize {
    records.iter().map(|record| record.turns.len()).sum()
}
