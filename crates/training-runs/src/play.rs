//! Does jobs of a training run, which need nothing but this program and the nets.

use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pacman2_bot_source::built_in::MAX_NET_BYTES;
use pacman2_bot_source::hash::hexadecimal;
use pacman2_bots::net::Net;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::lines::{BadLine, JobLines, JsonLine, Reason};
use pacman2_jobs::output::Output;
use pacman2_jobs::threads::do_jobs;
use pacman2_runner::read_input_file;
use pacman2_training::{League, Opponents, SelfPlay};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::record::GameLine;
use super::task::{Done, Task, opponent};
use super::wire::{JOBS, JobLine, JobNets, JobTerms, JobsHeader, NetLine, RESULTS, ResultTerms, ResultsHeader};

/// Does the jobs of an input on this number of threads, with the nets in a folder, and writes the results to standard output. `node`
/// is the name of this machine in them.
///
/// # Errors
///
/// If a line of the input is not as expected.
pub fn play_jobs(
    input: impl Read + Send + 'static,
    nets: &Path,
    threads: usize,
    node: Option<&str>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let engine = Engine::from_this_program()?;
    let header = ResultsHeader::from_this_machine(RESULTS, engine.clone(), node, ResultTerms {})?;
    let header = json!(header).to_string();
    let mut lines = JobLines::new(input, stop);
    let mut source = JobSource { folder: nets.to_owned(), files: HashMap::new(), league: None, engine, header: None };
    let output = Output::new(stop);
    // A reader learns from it whether this machine can play, before the first job is done.
    output.begin(&header)?;
    do_jobs(
        threads,
        || lines.next(|line| source.read(line)),
        |job: Job| {
            let id = &job.id;
            let line = match job.work {
                Err(reason) => json!({ "failed": id, "reason": reason }),
                Ok(work) => {
                    let begin = Instant::now();
                    let play = SelfPlay { league: &work.league, simulations: work.simulations, seed: work.seed };
                    let Some(done) = work.task.run(&play, || !stop.load(Ordering::Relaxed))? else { return Ok(()) };
                    let mut line = json!({ "result": id, "seconds": (begin.elapsed().as_secs_f64() * 1e6).round() / 1e6 });
                    match done {
                        Done::Games(games) => line["games"] = json!(games.iter().map(GameLine::from).collect::<Vec<GameLine>>()),
                        Done::Duel(block) => line["doubled_hundredths"] = json!(block.doubled),
                    }
                    line
                }
            };
            output.write(&header, &line.to_string())
        },
    )
}

/// What is known from the lines before a job.
struct JobSource {
    /// The folder of the nets.
    folder: PathBuf,
    /// The files of the nets, by their hashes.
    files: HashMap<String, String>,
    /// The league of the last job.
    league: Option<(JobNets, Arc<League>)>,
    engine: Engine,
    /// The header of the jobs that come now, and why they cannot be done here if they cannot.
    header: Option<(JobsHeader, Result<(), Reason>)>,
}

/// A job, or why it cannot be done here.
struct Job {
    id: String,
    work: Result<Work, Reason>,
}

struct Work {
    task: Task,
    league: Arc<League>,
    simulations: u32,
    seed: u32,
}

impl JobSource {
    /// Returns the job of this line, if it is one.
    fn read(&mut self, line: JsonLine) -> Result<Option<Job>, BadLine> {
        if line.has("pacman2") {
            line.check_header(JOBS)?;
            let unusable = line.bad("expected at least 1 simulation, got 0");
            let header: JobsHeader = line.read("a header of jobs")?;
            if header.terms.simulations == 0 {
                return Err(unusable);
            }
            let checked = self.engine.check(&header.engine);
            self.header = Some((header, checked));
            return Ok(None);
        }
        let Some((header, checked)) = self.header.clone() else {
            return Err(line.bad(format!("expected a header of {JOBS} first")));
        };
        if line.has("net") {
            let NetLine { net, file } = line.read("a net")?;
            self.files.insert(net, file);
            return Ok(None);
        }
        if !line.has("job") {
            return Err(line.unknown("a header, a net or a job"));
        }
        let job: JobLine = line.read("a job")?;
        let id = job.job.clone();
        Ok(Some(Job { id, work: checked.and_then(|()| self.work(job, &header)) }))
    }

    /// Finds what a job needs.
    fn work(&mut self, line: JobLine, header: &JobsHeader) -> Result<Work, Reason> {
        let JobLine { job, task, nets } = line;
        if JobLine::new(task.clone(), &nets, header).job != job {
            return Err(Reason::new("id", "the id is not the one of a job with this task, nets, simulations and seed"));
        }
        let mut league = self.league(&nets)?;
        match &task {
            Task::Duel { against, .. } if opponent(&league, against).is_none() => {
                return Err(Reason::new("player", format!("the league of the job has no player \"{against}\"")));
            }
            Task::Games { opponents: Some(opponents), .. } => {
                let has_all = |opponents: &Opponents| {
                    opponents.groups().iter().flat_map(|group| group.players.all()).all(|player| league.has(player))
                };
                let opponents = opponents.read().filter(has_all);
                let opponents =
                    opponents.ok_or_else(|| Reason::new("player", "the league of the job does not have these opponents"))?;
                league = Arc::new((*league).clone().with_opponents(opponents));
            }
            _ => {}
        }
        let JobTerms { simulations, seed } = header.terms;
        Ok(Work { task, league, simulations, seed })
    }

    /// Returns the league of these nets, which is read once.
    fn league(&mut self, nets: &JobNets) -> Result<Arc<League>, Reason> {
        if let Some((known, league)) = &self.league
            && known == nets
        {
            return Ok(Arc::clone(league));
        }
        let read = nets.nets.iter().map(|net| self.net(net).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let mut read = VecDeque::from(read);
        let missing = || Reason::new("missing-net", "the job has fewer nets than it says");
        let start = if nets.start { Some(read.pop_front().ok_or_else(missing)?) } else { None };
        let frozen = if nets.frozen { Some(read.pop_back().ok_or_else(missing)?) } else { None };
        let league = Arc::new(League::new(read.into()).with_start(start).with_frozen(frozen));
        self.league = Some((nets.clone(), Arc::clone(&league)));
        Ok(league)
    }

    fn net(&self, hash: &str) -> Result<Net, Reason> {
        let missing = |why: String| Reason::new("missing-net", format!("the net {hash} is missing: {why}"));
        let file = self.files.get(hash).ok_or_else(|| missing("no line before the job names its file".to_owned()))?;
        let path = self.folder.join(file);
        if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(missing(format!("expected a path inside {}, got {file}", self.folder.display())));
        }
        let bytes = read_input_file(&path, MAX_NET_BYTES).map_err(|error| missing(format!("{}: {error}", path.display())))?;
        if hexadecimal(&Sha256::digest(&bytes)) != hash {
            return Err(Reason::new("changed-net", format!("{}: expected the net with the hash {hash}", path.display())));
        }
        Net::read(&bytes).map_err(|error| Reason::new("changed-net", format!("{}: {error}", path.display())))
    }
}
