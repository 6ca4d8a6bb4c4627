//! Lists the games that a schedule still needs, as jobs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pacman2_console::files;
use pacman2_console::text::with_commas;
use pacman2_jobs::engine::Engine;
use pacman2_runner::Tier;
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::{Block, GameResult, Store};

use super::game_player::PendingGame;
use super::job_writer::JobWriter;
use super::runner::Games;

/// Where jobs are listed, and how many.
pub struct ListingOptions<'a> {
    /// The tier that the sandbox of programs needs.
    pub tier: Option<Tier>,
    /// The folder for files, which is new or empty; standard output if there is none.
    pub out: Option<&'a Path>,
    /// The number of games in a file.
    pub per_file: usize,
    /// The largest number of games.
    pub limit: usize,
}

/// The list of jobs on its way out.
pub struct Listing<'a> {
    store: &'a Store,
    /// What the ids of games depend on.
    pub games: Games,
    jobs: JobWriter,
    out: JobFiles,
    /// The largest number of games to be listed.
    limit: usize,
    listed: usize,
    known: usize,
    /// Whether other games may follow when these are recorded.
    pub is_followed: bool,
}

impl<'a> Listing<'a> {
    /// Begins a list of games that this arena lacks.
    ///
    /// # Errors
    ///
    /// If the arena cannot be read, or the folder is not empty.
    pub fn new(store: &'a Store, options: &ListingOptions<'_>) -> anyhow::Result<Listing<'a>> {
        let jobs = JobWriter::new(store, Engine::from_this_program()?, options.tier)?;
        let out = match options.out {
            Some(folder) => JobFiles::in_folder(folder, options.per_file)?,
            None => JobFiles::Stream { out: BufWriter::new(io::stdout()), is_begun: false },
        };
        Ok(Listing {
            store,
            games: Games::from_store(store)?,
            jobs,
            out,
            limit: options.limit,
            listed: 0,
            known: 0,
            is_followed: false,
        })
    }

    /// Returns whether the list has as many games as it may have.
    pub fn is_full(&self) -> bool {
        self.listed >= self.limit
    }

    /// Lists the missing games of a plan; if its stages depend on results, those of the first stage that lacks any.
    pub fn list_plan(&mut self, plan: &Plan) -> anyhow::Result<()> {
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

    /// Lists the missing games of these blocks.
    pub fn list_all(&mut self, blocks: &mut dyn Iterator<Item = Block>) -> anyhow::Result<()> {
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
    pub fn list_block(&mut self, block: &Block) -> anyhow::Result<Vec<GameResult>> {
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

    /// Ends the list, and says how many games it has.
    pub fn end(mut self) -> anyhow::Result<()> {
        self.out.end(&mut self.jobs)?;
        let (listed, known) = (with_commas(self.listed), with_commas(self.known));
        let more = if self.is_followed { "; record their results and plan again for what follows" } else { "" };
        eprintln!("pacman2: {listed} games to play, {known} in the arena{more}");
        Ok(())
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
        files::make_empty_folder("--out", folder)?;
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
