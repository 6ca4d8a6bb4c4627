//! Plays jobs, which need nothing but this program and the programs of the bots.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;

use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::lines::JobLines;
use pacman2_jobs::output::Output;
use pacman2_jobs::threads::do_jobs;
use pacman2_rules::ForfeitRuling;
use pacman2_tournament::store::ArenaSettings;
use serde_json::json;

use super::game_player::{Concurrency, GamePlayer};
use super::job_source::{JobSource, Playable, Task};
use super::program_folder::ProgramFolder;
use super::stalls::StallDetector;
use super::wire::{RESULTS, ResultTerms, ResultsHeader, failure, result_line};

/// Plays jobs on this machine.
pub struct JobPlayer<'a> {
    /// The folder with the programs of the bots.
    pub folder: &'a Path,
    /// Which programs run in which sandbox. Trust goes by their hashes.
    pub policy: &'a SandboxPolicy,
    /// The hashes of the command lines that jobs may run, or [`ALL`](pacman2_bot_source::sandbox::ALL).
    pub allowed_commands: &'a [String],
    /// How many games and bots run at the same time.
    pub concurrency: Concurrency,
    /// The name of this machine in the results, if it is not the one that it has.
    pub node: Option<&'a str>,
    /// Set when the program is asked to stop.
    pub stop: &'a AtomicBool,
}

impl JobPlayer<'_> {
    /// Plays the jobs of an input, and writes the results to standard output.
    ///
    /// # Errors
    ///
    /// If a line of the input is not as expected, or a bot cannot be started.
    pub fn play(&self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let &JobPlayer { folder, policy, allowed_commands, concurrency: Concurrency { games_at_once, ask_mode }, node, stop } =
            self;
        policy.share_tasks(self.concurrency.bots_at_once());
        let engine = Engine::from_this_program()?;
        // Replaced by those of the jobs.
        let settings = ArenaSettings { time_ms: 0, memory_mb: 0, turns: 0, ruling: ForfeitRuling::default() };
        let terms = ResultTerms { settings, tier: Some(policy.tier()) };
        let header = ResultsHeader::from_this_machine(RESULTS, engine.clone(), node, terms)?;
        let mut lines = JobLines::new(input, stop);
        let mut source = JobSource::new(ProgramFolder::new(folder, policy, allowed_commands), engine);
        let playing = Playing {
            player: GamePlayer { folder: folder.to_owned(), policy, ask_mode, stop },
            stalls: StallDetector::default(),
            header,
            output: Output::new(stop),
        };
        thread::scope(|scope| {
            let _stop = playing.stalls.stop_on_drop();
            scope.spawn(|| playing.stalls.run());
            do_jobs(games_at_once, || lines.next(|line| source.read(line)), |task| playing.play(task))
        })
    }
}

/// What the threads share.
struct Playing<'a> {
    player: GamePlayer<'a>,
    stalls: StallDetector,
    header: ResultsHeader,
    output: Output<'a>,
}

impl Playing<'_> {
    fn play(&self, task: Task) -> anyhow::Result<()> {
        let (settings, line) = match task {
            // A reader learns from it whether this machine can play, before the first game ends.
            Task::Begin { settings } => return self.output.begin(&self.header_of(&settings)),
            Task::Fail { id, reason, settings } => (settings, failure(&id, &reason).to_string()),
            Task::Play(playable) => {
                let Playable { pending, bots, limits, seats, settings } = *playable;
                let Some(played) = self.player.play(&pending, &bots, &limits, &self.stalls)? else { return Ok(()) };
                let parts = [played.public.as_str(), &played.private];
                let stalled_ms = played.stalled.as_millis() as u64;
                (settings, result_line(&played.game, pending.job.repeat, seats, stalled_ms, parts))
            }
        };
        self.output.write(&self.header_of(&settings), &line)
    }

    fn header_of(&self, settings: &ArenaSettings) -> String {
        let mut header = self.header.clone();
        header.jobs.terms.settings = settings.clone();
        json!(header).to_string()
    }
}
