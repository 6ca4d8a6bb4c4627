//! The lines of jobs, with a header first and each program before the first job that needs it.

use std::collections::BTreeSet;
use std::path::{self, PathBuf};
use std::slice;

use anyhow::Context;
use pacman2_bot_source::{built_in, hash};
use pacman2_bots::BotSpec;
use pacman2_jobs::engine::Engine;
use pacman2_runner::Tier;
use pacman2_tournament::store::ArenaSettings;
use pacman2_tournament::{BotId, BotVersion, Store};
use serde_json::json;

use super::copied_data;
use super::game_player::PendingGame;
use super::wire::{JOBS, JobLine, JobTerms, JobsHeader, ProgramLine, SeatLine};

/// Makes the lines of jobs.
pub(super) struct JobWriter {
    header: JobsHeader,
    is_header_written: bool,
    bots: Vec<BotVersion>,
    /// The bots whose programs were written already.
    written: BTreeSet<BotId>,
    /// The folder of the arena.
    folder: PathBuf,
}

impl JobWriter {
    pub(super) fn new(store: &Store, engine: Engine, tier: Option<Tier>) -> anyhow::Result<JobWriter> {
        let settings: ArenaSettings = store.settings()?;
        Ok(JobWriter {
            header: JobsHeader::new(JOBS, engine, JobTerms { settings, tier, folder: None }),
            is_header_written: false,
            bots: store.bots()?,
            written: BTreeSet::new(),
            folder: store.folder().to_owned(),
        })
    }

    /// Has the header name the folder of the arena.
    pub(super) fn with_folder(mut self) -> anyhow::Result<JobWriter> {
        self.header.terms.folder = Some(path::absolute(&self.folder).context("cannot find the folder of the arena")?);
        Ok(self)
    }

    /// Returns the header.
    pub(super) fn header(&self) -> String {
        json!(self.header).to_string()
    }

    /// Begins another sequence of jobs.
    pub(super) fn begin_again(&mut self) {
        self.is_header_written = false;
        self.written.clear();
    }

    /// Returns the lines that have to precede the line of this game.
    pub(super) fn lines_before(&mut self, game: &PendingGame) -> anyhow::Result<Vec<String>> {
        let is_first = !std::mem::replace(&mut self.is_header_written, true);
        let mut lines: Vec<String> = is_first.then(|| self.header()).into_iter().collect();
        for &id in &game.job.seats.0 {
            if self.written.insert(id) {
                lines.push(json!(self.program(self.bot(id)?)).to_string());
            }
        }
        Ok(lines)
    }

    /// Returns the line of a game.
    pub(super) fn job(&self, game: &PendingGame) -> anyhow::Result<String> {
        let PendingGame { job, id, block } = game;
        let [a, b, c, d] = job.seats.0.map(|id| self.bot(id).map(SeatLine::from_bot));
        let line = JobLine { job: id.clone(), block: block.clone(), seed: job.seed, repeat: job.repeat, seats: [a?, b?, c?, d?] };
        Ok(json!(line).to_string())
    }

    fn bot(&self, id: BotId) -> anyhow::Result<&BotVersion> {
        self.bots.iter().find(|bot| bot.id == id).with_context(|| format!("the arena has no bot with the number {}", id.0))
    }

    fn program(&self, bot: &BotVersion) -> ProgramLine {
        let BotVersion { name, version, program, command, .. } = bot.clone();
        let net = built_in::net_hash_of(&program);
        let file = match &net {
            Some(_) => command.parse().ok().and_then(|BotSpec { net, .. }| net),
            None => (!bot.is_built_in()).then(|| PathBuf::from(&command)).filter(|file| file.is_relative()),
        };
        // Arenas of earlier versions have no copies of nets. A reader on the same machine finds those, too.
        let is_found = |file: &PathBuf| file.is_relative() || self.header.terms.folder.is_some();
        let file = file.filter(|file| is_found(file) && self.folder.join(file).is_file());
        let path = file.as_ref().map(|file| self.folder.join(file)).filter(|_| net.is_none());
        let content = path.as_ref().and_then(|path| hash::of_files(slice::from_ref(path))).filter(|hash| *hash != program);
        let data = path.as_deref().and_then(copied_data::beside).is_some();
        let file = file.and_then(|file| file.into_os_string().into_string().ok());
        ProgramLine { file, net, content, data, program, name, version, command }
    }
}
