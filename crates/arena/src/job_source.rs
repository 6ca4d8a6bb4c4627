//! Jobs as they come, each with all that is needed to play it.

use std::sync::Arc;

use pacman2_bot_source::resolve;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::lines::{BadLine, JsonLine, Reason};
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::Tier;
use pacman2_tournament::store::ArenaSettings;
use pacman2_tournament::{BotId, BotVersion, Job, Store};

use super::game_limits::GameLimits;
use super::game_player::PendingGame;
use super::program_folder::ProgramFolder;
use super::wire::{JOBS, JobLine, JobTerms, JobsHeader, SeatLine};

/// What is known from the lines before a job.
pub(super) struct JobSource<'a> {
    programs: ProgramFolder<'a>,
    engine: Engine,
    terms: Option<Terms>,
}

/// What a header says of the jobs after it.
struct Terms {
    settings: Arc<ArenaSettings>,
    limits: Arc<GameLimits>,
    tier: Option<Tier>,
    /// Why none of the jobs can be played here.
    refusal: Option<Reason>,
}

/// What to do with a job.
pub(super) enum Task {
    /// Write a header: jobs with these settings follow.
    Begin {
        settings: Arc<ArenaSettings>,
    },
    Play(Box<Playable>),
    Fail {
        id: String,
        reason: Reason,
        settings: Arc<ArenaSettings>,
    },
}

/// A job with all that is needed to play it.
pub(super) struct Playable {
    pub(super) pending: PendingGame,
    pub(super) bots: BySeat<Arc<resolve::Bot>>,
    pub(super) limits: Arc<GameLimits>,
    pub(super) seats: BySeat<SeatLine>,
    pub(super) settings: Arc<ArenaSettings>,
}

impl<'a> JobSource<'a> {
    pub(super) fn new(programs: ProgramFolder<'a>, engine: Engine) -> JobSource<'a> {
        JobSource { programs, engine, terms: None }
    }

    /// Returns what to do because of this line, if anything.
    ///
    /// # Errors
    ///
    /// If the line is not as expected.
    pub(super) fn read(&mut self, line: JsonLine) -> Result<Option<Task>, BadLine> {
        if line.has("pacman2") {
            if line.text("pacman2").is_some_and(|kind| kind == "train jobs") {
                return Err(line
                    .bad(format!("expected a header of {JOBS}, got jobs of training; name the folder of its nets with --nets")));
            }
            line.check_header(JOBS)?;
            let terms = self.terms_of(line)?;
            let settings = Arc::clone(&terms.settings);
            self.terms = Some(terms);
            return Ok(Some(Task::Begin { settings }));
        }
        let Some(terms) = &self.terms else {
            return Err(line.bad(format!("expected a header of {JOBS} first")));
        };
        if line.has("program") {
            self.programs.add(line.read("a program")?);
            return Ok(None);
        }
        if !line.has("job") {
            return Err(line.unknown("a header, a program or a job"));
        }
        let job: JobLine = line.read("a job")?;
        let (id, settings) = (job.job.clone(), Arc::clone(&terms.settings));
        let playable = match &terms.refusal {
            Some(reason) => Err(reason.clone()),
            None => playable(job, terms, &mut self.programs),
        };
        Ok(Some(match playable {
            Ok(playable) => Task::Play(Box::new(playable)),
            Err(reason) => Task::Fail { id, reason, settings },
        }))
    }

    fn terms_of(&self, line: JsonLine) -> Result<Terms, BadLine> {
        let unusable = line.bad("expected settings with at least 1 ms, 1 MB and 1 turn, got less");
        let JobsHeader { engine, terms: JobTerms { settings, tier, .. }, .. } = line.read("a header of jobs")?;
        if settings.time_ms == 0 || settings.memory_mb == 0 || settings.turns == 0 {
            return Err(unusable);
        }
        let refusal = self.engine.check(&engine).err();
        let limits = Arc::new(GameLimits::new(settings.clone()));
        Ok(Terms { settings: Arc::new(settings), limits, tier, refusal })
    }
}

/// Finds what a job needs.
fn playable(line: JobLine, terms: &Terms, programs: &mut ProgramFolder<'_>) -> Result<Playable, Reason> {
    let JobLine { job: id, block, seed, repeat, seats } = line;
    let [a, b, c, d] = seats.each_ref().map(|seat| programs.load(seat, terms.tier));
    let bots = BySeat([a?, b?, c?, d?]);
    // Bots have numbers only in their arena. Seats of the same bot have the same number here.
    let number = |seat: Seat| seats.iter().position(|other| *other == seats[seat.index()]).unwrap_or_default();
    let job = Job { seed, repeat, seats: BySeat::from_fn(|seat| BotId(number(seat) as i64)) };
    let versions: Vec<BotVersion> = (0..).zip(&seats).map(|(number, seat)| version(BotId(number), seat)).collect();
    if Store::id_of(&terms.settings, &versions, &job) != id {
        return Err(Reason::new("id", "the id is not the one of a game with these bots, seats, seed and settings"));
    }
    Ok(Playable {
        pending: PendingGame { job, id, block },
        bots,
        limits: Arc::clone(&terms.limits),
        seats: BySeat(seats),
        settings: Arc::clone(&terms.settings),
    })
}

/// Returns as much of a bot as the id of a game depends on.
fn version(id: BotId, SeatLine { name, program }: &SeatLine) -> BotVersion {
    BotVersion {
        id,
        name: name.clone(),
        version: String::new(),
        program: program.clone(),
        command: String::new(),
        added: 0,
        is_active: true,
    }
}
