//! Has the tasks of a run done elsewhere.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_bot_source::built_in::MAX_NET_BYTES;
use pacman2_bot_source::hash::hexadecimal;
use pacman2_console::error::bad_input;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::exchange::{Exchange, Incoming};
use pacman2_jobs::lines::Reason;
use pacman2_runner::read_input_file;
use pacman2_training::{DuelBlock, GameRecord, LeaguePlayer, SelfPlay};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::options::{AGAINST, FROM, NetOptions};
use super::record::GameLine;
use super::store::RunFolder;
use super::task::{Done, Task};
use super::wire::{JOBS, JobLine, JobNets, JobTerms, JobsHeader, NetLine, RESULTS, ResultLine, ResultsHeader};

/// What a line from elsewhere may be.
const EXPECTED: &str = "a header, a result, a failure, or \"slots\", \"note\" or \"again\"";

/// Writes jobs, and reads their results.
pub(super) struct Elsewhere {
    exchange: Exchange,
    header: JobsHeader,
    is_header_written: bool,
    /// The hashes of the net that the run started from, of those of the generations in order, and of the one that it trains against.
    start: Option<String>,
    nets: Vec<String>,
    frozen: Option<String>,
    /// The hashes of the nets that were written.
    written: BTreeSet<String>,
    /// The header of the results that come now.
    header_of_results: Option<ResultsHeader>,
}

/// What happened elsewhere.
pub(super) enum News {
    /// The task with this number was done.
    Done(u32, Done),
    /// Where tasks are done, for the line of progress.
    Nodes(String),
}

/// Tasks on their way.
struct Waiting {
    queue: VecDeque<(u32, Task)>,
    in_flight: HashMap<String, (u32, Task)>,
    done: HashSet<String>,
}

impl Elsewhere {
    pub(super) fn new(stop: &Arc<AtomicBool>, options: &NetOptions) -> anyhow::Result<Elsewhere> {
        let &NetOptions { simulations, seed, ref from, ref against, .. } = options;
        let engine = Engine::from_this_program()?;
        Ok(Elsewhere {
            exchange: Exchange::new(stop),
            header: JobsHeader::new(JOBS, engine, JobTerms { simulations, seed }),
            is_header_written: false,
            start: from.as_ref().map(|net| net.hash.clone()),
            nets: Vec::new(),
            frozen: against.as_ref().map(|net| net.hash.clone()),
            written: BTreeSet::new(),
            header_of_results: None,
        })
    }

    /// Has tasks done. `watch` gets what happens, in any order.
    pub(super) fn do_tasks(
        &mut self,
        tasks: Vec<(u32, Task)>,
        play: &SelfPlay<'_>,
        folder: &Path,
        stop: &AtomicBool,
        mut watch: impl FnMut(News) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let files = self.files_of(play, folder)?;
        let nets = JobNets {
            nets: files.iter().map(|(hash, _)| hash.clone()).collect(),
            start: self.start.is_some(),
            frozen: self.frozen.is_some(),
        };
        let mut waiting = Waiting { queue: tasks.into(), in_flight: HashMap::new(), done: HashSet::new() };
        while !(waiting.queue.is_empty() && waiting.in_flight.is_empty()) {
            while self.exchange.free_slots() > 0
                && let Some((number, task)) = waiting.queue.pop_front()
            {
                self.send_header(&files)?;
                let line = JobLine::new(task.clone(), &nets, &self.header);
                self.exchange.send(line.job.clone(), json!(line).to_string())?;
                waiting.in_flight.insert(line.job, (number, task));
            }
            match self.exchange.wait()? {
                Incoming::Line(line) => match line.result_or_header(RESULTS, EXPECTED, &mut self.header_of_results) {
                    Ok(Some(result)) => self.take(result, &mut waiting, play, &mut watch)?,
                    Ok(None) => {}
                    Err(bad) => self.exchange.reject(&bad)?,
                },
                Incoming::Note(nodes) => watch(News::Nodes(nodes))?,
                Incoming::Nothing => {}
                Incoming::Ended => {
                    stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the nets of this league: the hash and the file of each, in the order of [`JobNets`].
    fn files_of(&mut self, play: &SelfPlay<'_>, folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
        let count = match play.league.newest() {
            LeaguePlayer::Net(generation) => generation,
            _ => 0,
        };
        for generation in self.nets.len() as u32 + 1..=count {
            let file = folder.join(RunFolder::file_of_net(generation));
            let bytes =
                read_input_file(&file, MAX_NET_BYTES).map_err(|error| bad_input(format!("{}: {error}", file.display())))?;
            self.nets.push(hexadecimal(&Sha256::digest(&bytes)));
        }
        let start = self.start.iter().map(|hash| (hash.clone(), FROM.to_owned()));
        let of_generation = |(generation, hash): (u32, &String)| (hash.clone(), RunFolder::file_of_net(generation));
        let nets = (1..=count).zip(&self.nets).map(of_generation);
        let frozen = self.frozen.iter().map(|hash| (hash.clone(), AGAINST.to_owned()));
        Ok(start.chain(nets).chain(frozen).collect())
    }

    /// Writes the header and the nets that were not written yet.
    fn send_header(&mut self, nets: &[(String, String)]) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_header_written, true) {
            self.exchange.write(&json!(self.header).to_string())?;
        }
        for (net, file) in nets {
            if self.written.insert(net.clone()) {
                self.exchange.write(&json!(NetLine { net: net.clone(), file: file.clone() }).to_string())?;
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        result: ResultLine,
        waiting: &mut Waiting,
        play: &SelfPlay<'_>,
        watch: &mut impl FnMut(News) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let id = result.result.clone();
        if waiting.done.contains(&id) {
            return Ok(self.exchange.accept(&id)?);
        }
        let asked = waiting.in_flight.get(&id).ok_or_else(|| Reason::new("not-asked", "no such job waits for its result"));
        let done = asked.and_then(|(number, task)| {
            if let Some(header) = &self.header_of_results {
                self.header.engine.check(&header.jobs.engine)?;
            }
            Ok((*number, check(task, result, play)?))
        });
        match done {
            Ok((number, done)) => {
                watch(News::Done(number, done))?;
                waiting.in_flight.remove(&id);
                self.exchange.accept(&id)?;
                waiting.done.insert(id);
            }
            Err(reason) => self.exchange.refuse(&id, &reason)?,
        }
        Ok(())
    }
}

/// Checks a result as far as the rules determine it.
fn check(task: &Task, result: ResultLine, play: &SelfPlay<'_>) -> Result<Done, Reason> {
    let bad = |message: String| Reason::new("result", message);
    match (task, result) {
        (Task::Games { .. }, ResultLine { games: Some(games), .. }) => {
            let games: Vec<GameLine> = serde_json::from_str(games.get()).map_err(|error| bad(format!("\"games\": {error}")))?;
            let records: Option<Vec<GameRecord>> = games.iter().map(GameLine::record).collect();
            let records = records.ok_or_else(|| bad("a game has an unknown player, action or fingerprint".to_owned()))?;
            if !task.seeds().eq(records.iter().map(|record| record.seed)) {
                return Err(bad("expected one game on each map of the job, in order".to_owned()));
            }
            for record in &records {
                record.scores().map_err(|error| bad(format!("the game of seed {}: {error}", record.seed)))?;
                if record.players != play.seating(record.seed) {
                    return Err(bad(format!("the game of seed {} has other players than the job", record.seed)));
                }
            }
            Ok(Done::Games(records))
        }
        (Task::Duel { map, .. }, ResultLine { doubled_hundredths: Some(doubled), .. }) => {
            Ok(Done::Duel(DuelBlock { map: *map, doubled }))
        }
        _ => Err(bad("expected \"games\" for games of self-play, and \"doubled_hundredths\" for a duel".to_owned())),
    }
}
