//! Has the games of a run played elsewhere.

use pacman2_console::json_output::labelled;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::exchange::{Exchange, Incoming};
use pacman2_jobs::lines::JsonLine;
use pacman2_runner::Tier;
use pacman2_tournament::Store;

use super::executor::{Event, Executor};
use super::game_player::PendingGame;
use super::job_writer::JobWriter;
use super::progress::{EVENTS, GameProgress};
use super::recorder::{Recorded, Recorder};
use super::wire::ResultLine;

/// Writes jobs, and records their results.
pub(super) struct Elsewhere {
    exchange: Exchange,
    recorder: Recorder,
    jobs: JobWriter,
}

impl Elsewhere {
    /// `tier` is the one that programs need.
    pub(super) fn new(store: &Store, exchange: Exchange, tier: Option<Tier>) -> anyhow::Result<Elsewhere> {
        let engine = Engine::from_this_program()?;
        let jobs = JobWriter::new(store, engine.clone(), tier)?.with_folder()?;
        let recorder = Recorder::new(store, engine)?;
        Ok(Elsewhere { exchange, recorder, jobs })
    }

    /// Returns how many games may be in flight.
    pub(super) fn slots(&self) -> usize {
        self.exchange.slots()
    }

    fn read(&mut self, line: JsonLine, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Event> {
        match self.recorder.read_line(line, "a header, a result, a failure, or \"slots\", \"note\" or \"again\"") {
            Ok(Some(result)) => self.record(result, store, progress),
            Ok(None) => Ok(Event::Nothing),
            Err(bad) => {
                self.exchange.reject(&bad)?;
                Ok(Event::Nothing)
            }
        }
    }

    fn record(&mut self, result: ResultLine, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Event> {
        let id = result.result.clone();
        let game = match self.recorder.record(store, result)? {
            Recorded::New(game) => {
                progress.add_played(&game);
                game
            }
            Recorded::Known(game) => game,
            Recorded::Differs(difference) => {
                self.exchange.write(&labelled(EVENTS, difference.json()).to_string())?;
                eprintln!("pacman2: {}", difference.sentence());
                difference.kept
            }
            Recorded::Refused(reason) => {
                self.exchange.refuse(&id, &reason)?;
                return Ok(Event::Nothing);
            }
        };
        self.exchange.accept(&id)?;
        Ok(Event::Stored(Box::new(game)))
    }
}

impl Executor for Elsewhere {
    fn free_slots(&self) -> usize {
        self.exchange.free_slots()
    }

    fn open_blocks(&self, games_per_block: usize) -> usize {
        // While the last games of a block are played, those of the next keep the slots busy.
        self.exchange.slots().div_ceil(games_per_block) + 1
    }

    fn begin(&mut self, game: PendingGame) -> anyhow::Result<()> {
        for line in self.jobs.lines_before(&game)? {
            self.exchange.write(&line)?;
        }
        let line = self.jobs.job(&game)?;
        self.exchange.send(game.id, line)
    }

    fn wait(&mut self, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Event> {
        match self.exchange.wait()? {
            Incoming::Line(line) => self.read(line, store, progress),
            Incoming::Note(note) => {
                progress.set_nodes(note);
                Ok(Event::Nothing)
            }
            Incoming::Nothing => Ok(Event::Nothing),
            Incoming::Ended => Ok(Event::Ended),
        }
    }

    fn abandon(&mut self, _: &mut Store, _: &mut GameProgress) -> anyhow::Result<()> {
        Ok(self.exchange.abandon()?)
    }
}
