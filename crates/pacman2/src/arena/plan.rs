//! `pacman2 arena plan`: lists the games that a schedule still needs, as jobs.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::numbers::with_commas;
use pacman2_console::text::sanitize;
use pacman2_jobs::engine::Engine;
use pacman2_runner::Tier;
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::{Block, GameResult, Store};

use super::args::{PlanArgs, PlayArgs, TestArgs, TournamentArgs};
use super::compare::pool;
use super::game_player::PendingGame;
use super::job_writer::JobWriter;
use super::options::{self, ArenaRunOptions};
use super::runner::Games;
use super::series::{Series, SeriesRange};
use super::store::{find_bot, open_store_to_read};
use super::tournament;
use crate::args::SandboxArgs;

/// How many games of a comparison are listed by default: it may be decided after few of them.
const COMPARED_GAMES: usize = 256;

pub(super) fn run(folder: &Path, args: &PlanArgs) -> anyhow::Result<ExitCode> {
    if let Some(file) = &args.tournament {
        let sandbox = SandboxArgs { require_tier: args.require_tier, ..SandboxArgs::default() };
        let play = PlayArgs { games_at_once: None, elsewhere: true, sandbox };
        let tournament = TournamentArgs { file: file.clone(), play, retry: false, force: false, json: false };
        return tournament::plan(&tournament, |store, tier, blocks, plan| {
            let mut listing = Listing::new(store, args, tier, None)?;
            listing.list_all(blocks)?;
            if let Some(plan) = plan {
                listing.list_plan(plan)?;
            }
            listing.end()
        });
    }
    let store = open_store_to_read(folder)?;
    match &args.compare[..] {
        [new, old] => compare(&store, args, [new, old]),
        _ => {
            let ArenaRunOptions { plan, .. } = ArenaRunOptions::new(&args.schedule, &store.bots()?)?;
            let mut listing = Listing::new(&store, args, args.require_tier, None)?;
            listing.list_plan(&plan)?;
            listing.end()
        }
    }
}

/// Lists the next blocks of a comparison.
fn compare(store: &Store, args: &PlanArgs, [new, old]: [&String; 2]) -> anyhow::Result<ExitCode> {
    let bots = store.bots()?;
    let [new, old] = [find_bot(&bots, new)?, find_bot(&bots, old)?];
    if new.is_same_program(&old) {
        let labels = [new, old].map(|bot| sanitize(&bot.label()));
        return Err(bad_input(format!("{} are the same program; there is nothing to play", labels.join(" and "))));
    }
    let TestArgs { pool: names, most_blocks, .. } = &args.test;
    let (pool, comparison) = (pool(&bots, names, &new, &old)?, options::comparison(&args.test)?);
    let range = SeriesRange { bots: [new.id, old.id], first_seed: args.schedule.first_seed, most_blocks: *most_blocks };
    let mut listing = Listing::new(store, args, args.require_tier, Some(COMPARED_GAMES))?;
    for series in &mut Series::of_comparison(&pool, comparison, false) {
        let Some(blocks) = series.missing(&listing.games, store, range)? else { continue };
        for block in blocks {
            if listing.is_full() {
                break;
            }
            listing.list_block(&block?)?;
        }
        listing.is_followed = true;
        break;
    }
    listing.end()
}

/// The list of jobs on its way out.
struct Listing<'a> {
    store: &'a Store,
    games: Games,
    jobs: JobWriter,
    out: JobFiles,
    /// The largest number of games to be listed.
    limit: usize,
    listed: usize,
    known: usize,
    /// Whether other games may follow when these are recorded.
    is_followed: bool,
}

impl<'a> Listing<'a> {
    fn new(store: &'a Store, args: &PlanArgs, tier: Option<Tier>, default_limit: Option<usize>) -> anyhow::Result<Listing<'a>> {
        let jobs = JobWriter::new(store, Engine::of_this_program()?, tier)?;
        let out = match &args.out {
            Some(folder) => JobFiles::in_folder(folder, args.per_file)?,
            None => JobFiles::Stream { out: BufWriter::new(io::stdout()), is_begun: false },
        };
        let limit = args.limit.or(default_limit).unwrap_or(usize::MAX);
        Ok(Listing { store, games: Games::of(store)?, jobs, out, limit, listed: 0, known: 0, is_followed: false })
    }

    fn is_full(&self) -> bool {
        self.listed >= self.limit
    }

    /// Lists the missing games of a plan; if its stages depend on results, those of the first stage that lacks any.
    fn list_plan(&mut self, plan: &Plan) -> anyhow::Result<()> {
        if !plan.depends_on_results() {
            return self.list_all(&mut plan.stages_without_results().flatten());
        }
        let mut earlier: Vec<Vec<GameResult>> = Vec::new();
        while let Some(blocks) = plan.stage(&earlier) {
            let mut results = Vec::new();
            let listed = self.listed;
            for block in &blocks {
                results.extend(self.list_block(block)?);
            }
            if self.listed > listed || self.is_full() {
                self.is_followed = true;
                return Ok(());
            }
            earlier.push(results);
        }
        Ok(())
    }

    fn list_all(&mut self, blocks: &mut dyn Iterator<Item = Block>) -> anyhow::Result<()> {
        for block in blocks {
            if self.is_full() {
                self.is_followed = true;
                return Ok(());
            }
            self.list_block(&block)?;
        }
        Ok(())
    }

    /// Lists the missing games of a block, and returns the results of the others.
    fn list_block(&mut self, block: &Block) -> anyhow::Result<Vec<GameResult>> {
        let mut results = Vec::new();
        for game in self.games.of_block(block) {
            if let Some(known) = self.store.game(&game.id)? {
                self.known += 1;
                results.push(known);
            } else if self.is_full() {
                self.is_followed = true;
            } else {
                self.listed += 1;
                self.out.write(&mut self.jobs, &game)?;
            }
        }
        Ok(results)
    }

    fn end(mut self) -> anyhow::Result<ExitCode> {
        self.out.end(&mut self.jobs)?;
        let (listed, known) = (with_commas(self.listed), with_commas(self.known));
        let more = if self.is_followed { "; record their results and plan again for what follows" } else { "" };
        eprintln!("pacman2: {listed} games to play, {known} in the arena{more}");
        Ok(ExitCode::SUCCESS)
    }
}

/// Where jobs are written.
enum JobFiles {
    Stream {
        out: BufWriter<io::Stdout>,
        is_begun: bool,
    },
    /// Files in a folder, each with a header and the programs that its jobs need.
    Folder {
        folder: PathBuf,
        per_file: usize,
        files: usize,
        text: String,
        games: usize,
    },
}

impl JobFiles {
    fn in_folder(folder: &Path, per_file: usize) -> anyhow::Result<JobFiles> {
        let failed = || format!("cannot create {}", folder.display());
        fs::create_dir_all(folder).with_context(failed)?;
        if fs::read_dir(folder).with_context(failed)?.next().is_some() {
            return Err(bad_input(format!("{}: expected a new or empty folder, got one with files", folder.display())));
        }
        Ok(JobFiles::Folder { folder: folder.to_owned(), per_file, files: 0, text: String::new(), games: 0 })
    }

    fn write(&mut self, jobs: &mut JobWriter, game: &PendingGame) -> anyhow::Result<()> {
        match self {
            JobFiles::Stream { out, is_begun } => {
                *is_begun = true;
                for line in jobs.lines_before(game)? {
                    writeln!(out, "{line}")?;
                }
                writeln!(out, "{}", jobs.job(game)?)?;
            }
            JobFiles::Folder { per_file, text, games, .. } => {
                for line in jobs.lines_before(game)? {
                    text.push_str(&line);
                    text.push('\n');
                }
                text.push_str(&jobs.job(game)?);
                text.push('\n');
                *games += 1;
                if games == per_file {
                    self.end_file(jobs)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the file that was begun, if one was.
    fn end_file(&mut self, jobs: &mut JobWriter) -> anyhow::Result<()> {
        let JobFiles::Folder { folder, files, text, games, .. } = self else { return Ok(()) };
        if *games > 0 {
            *files += 1;
            files::write(&folder.join(format!("{files:05}.jsonl")), text)?;
            text.clear();
            *games = 0;
            jobs.begin_again();
        }
        Ok(())
    }

    fn end(&mut self, jobs: &mut JobWriter) -> anyhow::Result<()> {
        self.end_file(jobs)?;
        if let JobFiles::Stream { out, is_begun } = self {
            // A list without games is complete, too.
            if !*is_begun {
                writeln!(out, "{}", jobs.header())?;
            }
            out.flush()?;
        }
        Ok(())
    }
}
