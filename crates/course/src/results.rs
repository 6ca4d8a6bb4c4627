//! The results of a tournament: grades, notes and the report, and where each participant forfeited first.

use pacman2_console::stdout::stdout;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use pacman2_arena::game_player::Concurrency;
use pacman2_arena::progress::EVENTS;
use pacman2_arena::report;
use pacman2_arena::similar::{self, SimilarBots};
use pacman2_botzone::problem::Problem;
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::json_output::labelled;
use pacman2_console::language::locale;
use pacman2_console::text::{fit_column, sanitize};
use pacman2_match::referee::AskMode;
use pacman2_rules::{Ruleset, Seat};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::config::Config;
use super::grades::{self, AdmittedReference, GradedParticipant, Participant, Rejection};
use super::notes::{self, FirstForfeit, NoteContext};
use super::output::OutputPaths;
use super::submissions::Submission;

/// How many digits of a game's id are shown.
const GAME_ID_DIGITS: usize = 12;

/// The share of tokens or games from which two bots are called similar.
const SIMILAR: f64 = 0.5;

/// What the staff should know besides the grades.
struct Remarks<'a> {
    certainty: Option<String>,
    /// Bots that are copies of one program.
    copies: Vec<Vec<&'a BotVersion>>,
    similar: Vec<SimilarBots<'a>>,
}

/// Writes the results when all games are played.
pub(super) struct Results<'a> {
    pub(super) config: &'a Config,
    pub(super) paths: &'a OutputPaths,
    /// The BOT argument that plays each bot again.
    pub(super) commands: &'a BTreeMap<BotId, String>,
    pub(super) json: bool,
}

impl Results<'_> {
    /// Grades the participants and writes everything.
    pub(super) fn write(
        &self,
        store: &Store,
        references: &[AdmittedReference],
        participants: &[Participant],
        submissions: &[Submission],
    ) -> anyhow::Result<()> {
        let Config { grading, language, .. } = self.config;
        let games = store.games(&Filter::default())?;
        let standings = report::standings_of(store, &games, false)?;
        let graded = grades::grade(participants, references, &standings, grading);
        let report_path = self.paths.report.path.display().to_string();
        let mut summaries = Vec::new();
        for (graded, submission) in graded.iter().zip(submissions) {
            let first_forfeit = self.first_forfeit(store, &games, graded)?;
            let trial_command = submission.argument().map(|bot| self.trial_command(bot));
            let context = NoteContext {
                graded,
                grading,
                first_forfeit: first_forfeit.as_ref(),
                trial_command: trial_command.as_deref(),
                report: &report_path,
            };
            self.paths.note(&submission.name).write(&notes::note(&context, *language))?;
            summaries.push(notes::summary(&context));
        }
        self.paths.remove_former(submissions)?;
        let grades = grades::to_json(&graded, &summaries);
        let class = json!({
            "name": self.config.name, "measure": grading.measure.name(), "otherwise": grading.otherwise, "grades": grades,
        });
        report::write_report(store, &self.paths.report, Some(class))?;
        // The table of grades comes last: when it exists, everything else does.
        self.paths.csv.write(&grades::csv(&graded, references, *language))?;
        let bots: Vec<BotVersion> = standings.bots.iter().map(|standing| standing.bot.clone()).collect();
        let remarks = Remarks {
            certainty: grades::certainty(&graded, self.config.games.seeds.len()),
            copies: standings.copies(),
            similar: similar::find(store, &bots, &games, &[], SIMILAR),
        };
        if self.json { self.print_json(&grades, &remarks) } else { self.print(&graded, &remarks) }
    }

    fn print_json(&self, grades: &[Value], remarks: &Remarks<'_>) -> anyhow::Result<()> {
        let OutputPaths { report, csv, notes, arena, .. } = self.paths;
        let [report, csv, notes, arena] = [&report.path, &csv.path, notes, arena].map(|path| path.to_string_lossy());
        let end = json!({
            "event": "end", "finished": true, "grades": grades, "report": report, "csv": csv, "notes": notes, "arena": arena,
            "certainty": remarks.certainty,
            "copies": remarks.copies.iter().map(|copies| labels(copies)).collect::<Vec<_>>(),
            "similar": remarks.similar.iter().map(SimilarBots::json).collect::<Vec<_>>(),
        });
        Ok(writeln!(stdout(), "{}", labelled(EVENTS, end))?)
    }

    fn print(&self, graded: &[GradedParticipant<'_>], remarks: &Remarks<'_>) -> anyhow::Result<()> {
        let mut out = stdout();
        writeln!(out, "{}\n grade  name                       points  status", sanitize(&self.config.name))?;
        for graded in graded {
            let name = fit_column(&sanitize(&graded.participant.name), 24);
            let points = graded.standing.map_or_else(String::new, |standing| format!("{:.2}", standing.points.value));
            let forfeits = match graded.forfeits() {
                0 => String::new(),
                count => format!(", forfeited {}", notes::times(count)),
            };
            let status = graded.status().in_language(locale());
            let cause = graded.participant.bot.as_ref().err().and_then(Rejection::cause);
            let cause = cause.map_or_else(String::new, |cause| match locale() {
                Locale::Chinese => format!("（{}）", cause.zh),
                Locale::English => format!(" ({})", cause.en),
            });
            writeln!(out, "{:>6}  {name} {points:>8}  {status}{cause}{forfeits}", grades::number(graded.grade))?;
        }
        for copies in &remarks.copies {
            let labels = labels(copies).iter().map(|label| sanitize(label)).collect::<Vec<_>>().join(" and ");
            writeln!(out, "{labels} are the same program; their games count together")?;
        }
        let OutputPaths { report, csv, notes, arena, .. } = self.paths;
        if !remarks.similar.is_empty() {
            let (found, arena) = (remarks.similar.len(), quoted(&arena.to_string_lossy()));
            writeln!(
                out,
                "groups of copies and pairs of similar bots: {found}; \"pacman2 arena similar --arena {arena}\" lists them"
            )?;
        }
        if let Some(certainty) = &remarks.certainty {
            writeln!(out, "{certainty}")?;
        }
        writeln!(out, "report {}, grades {}, notes {}", report.path.display(), csv.path.display(), notes.display())?;
        Ok(())
    }

    /// Returns the first game, by seed, in which a participant forfeited, and what it wrote then.
    fn first_forfeit(
        &self,
        store: &Store,
        games: &[GameResult],
        graded: &GradedParticipant<'_>,
    ) -> anyhow::Result<Option<FirstForfeit>> {
        let Ok(bot) = graded.participant.bot else { return Ok(None) };
        let faults = games.iter().flat_map(|game| {
            let of_seat = move |seat: Seat| Some((game, seat, game.seats[seat].fault.as_ref()?));
            Seat::ALL.into_iter().filter(move |&seat| game.seats[seat].bot == bot).filter_map(of_seat)
        });
        let Some((game, seat, fault)) = faults.min_by_key(|(game, seat, _)| (game.seed, &game.id, seat.index())) else {
            return Ok(None);
        };
        let replay = store.replay(&game.id, true)?.with_context(|| format!("game {} has no replay", game.id))?;
        let replay: Value =
            serde_json::from_str(&replay).with_context(|| format!("the replay of game {} is damaged", game.id))?;
        let diagnostics = &replay["private"]["turns"][fault.turn as usize - 1][seat.index()];
        // The path of the copy means nothing to the author.
        let copies = graded.standing.map(|standing| store.folder_of_program(&standing.bot.program));
        let copies = copies.and_then(|folder| fs::canonicalize(folder).ok()).map(|folder| format!("{}/", folder.display()));
        let text = |key: &str| {
            let text = diagnostics[key].as_str().unwrap_or_default();
            copies.as_ref().map_or_else(|| text.to_owned(), |folder| text.replace(folder, ""))
        };
        let problem: Option<Problem> = serde_json::from_value(diagnostics["problem"].clone()).ok();
        let explained = |locale| match problem.as_ref().and_then(|problem| problem.explanation(locale)) {
            Some(explanation) => explanation.lines().collect::<Vec<_>>().join("\n"),
            None => text("complaint"),
        };
        let id = game.id.chars().take(GAME_ID_DIGITS).collect::<String>();
        let arena = quoted(&self.paths.arena.to_string_lossy());
        Ok(Some(FirstForfeit {
            seat: seat.index(),
            turn: fault.turn,
            verdict: fault.kind,
            complaint: Bilingual { zh: explained(Locale::Chinese), en: explained(Locale::English) },
            stderr: text("stderr"),
            show_command: format!("pacman2 arena show {id} --open --arena {arena}"),
            replay_command: self.replay_command(store, game)?,
            game: id,
        }))
    }

    /// Returns the command that plays a game again.
    fn replay_command(&self, store: &Store, game: &GameResult) -> anyhow::Result<String> {
        let known = store.bots()?;
        // Of a submission that was removed or changed, the arena keeps the copy.
        let kept = |bot: BotId| {
            let command = &known.iter().find(|known| known.id == bot)?.command;
            let copy = store.folder().join(command);
            Some(if copy.is_file() { copy.to_string_lossy().into_owned() } else { command.clone() })
        };
        let command_of = |bot: BotId| quoted(&self.commands.get(&bot).cloned().or_else(|| kept(bot)).unwrap_or_default());
        let bots: Vec<String> = game.seats.0.iter().map(|seat| command_of(seat.bot)).collect();
        Ok(format!("pacman2 play {} --seed {}{}", bots.join(" "), game.seed, self.match_options()))
    }

    /// Returns a command with which an author can try a submission.
    fn trial_command(&self, bot: &Path) -> String {
        format!("pacman2 play {} greedy greedy greedy --seed 1{}", quoted(&bot.to_string_lossy()), self.match_options())
    }

    /// Returns the options that make `pacman2 play` play as the tournament does.
    fn match_options(&self) -> String {
        let &Config { time_ms, memory_mb, turns, .. } = self.config;
        let is_one_by_one = Concurrency::from_machine(None).ask_mode == AskMode::OneByOne;
        let one_by_one = if is_one_by_one { " --one-by-one" } else { "" };
        let ends_early = if turns == Ruleset::default().turn_limit { String::new() } else { format!(" --turns {turns}") };
        format!("{one_by_one} --time-limit {time_ms} --memory-limit {memory_mb}{ends_early}")
    }
}

fn labels(bots: &[&BotVersion]) -> Vec<String> {
    bots.iter().map(|bot| bot.label()).collect()
}

fn quoted(text: &str) -> String {
    // A path contains no zero byte.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), |text| text.into_owned())
}
