//! What the page of the user's own bots does with them: the same as the commands.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use pacman2_arena::candidate::{BotToAdd, find_or_add_bot};
use pacman2_arena::runner::{PlayOptions, Runner};
use pacman2_arena::series::{Series, SeriesRange};
use pacman2_arena::store::store_error;
use pacman2_bot_source::check;
use pacman2_bot_source::resolve::Bot;
use pacman2_console::error::bad_input;
use pacman2_console::progress::Shown;
use pacman2_rules::ForfeitRuling;
use pacman2_runner::Limits;
use pacman2_templates::{BotKind, TEMPLATES, Template};
use pacman2_tournament::Store;
use pacman2_tournament::compare::{Comparison, ComparisonConfig};
use pacman2_tournament::store::ArenaSettings;
use pacman2_web::server::{BackendError, BotTask, BotTemplate, BotWorkshop, TaskBot, TaskResult};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Programs, backend_error};
use crate::new;
use crate::rerun::{self, RerunOptions, Step};

/// The largest number of blocks of a comparison, of four games each.
const MOST_BLOCKS: u32 = 250;
/// Botzone's limits and rules, as in a new arena.
const SETTINGS: ArenaSettings = ArenaSettings { time_ms: 1000, memory_mb: 256, turns: 100, ruling: ForfeitRuling::Sample };

/// The folder of the arena in which two bots are being compared. Who empties this removes the folder.
pub(super) type ComparisonFolder = Arc<Mutex<Option<TempDir>>>;

/// Works on bots of this machine.
pub(super) struct LocalWorkshop {
    programs: Arc<Programs>,
    comparison: ComparisonFolder,
}

impl LocalWorkshop {
    pub(super) fn new(programs: &Arc<Programs>, comparison: &ComparisonFolder) -> LocalWorkshop {
        LocalWorkshop { programs: Arc::clone(programs), comparison: Arc::clone(comparison) }
    }

    /// Finds a bot, and compiles it if it is a source.
    fn find(&self, bot: &TaskBot) -> anyhow::Result<Bot> {
        let mut found = Bot::find(&bot.text.parse()?, self.programs.policy())?;
        found.name.clone_from(&bot.label);
        Ok(found)
    }

    fn check(&self, bot: &TaskBot, stop: &AtomicBool, report: Report<'_>) -> anyhow::Result<TaskResult> {
        report(json!({ "phase": "compiling" }));
        let bot = self.find(bot)?;
        report(json!({ "phase": "asking" }));
        let examined = check::examine(&bot, Limits::default(), self.programs.policy(), stop)?;
        Ok(TaskResult { result: examined.for_machines(), faults: examined.faults() })
    }

    fn rerun(&self, bot: &TaskBot, options: &RerunOptions, stop: &AtomicBool, report: Report<'_>) -> anyhow::Result<TaskResult> {
        report(json!({ "phase": "compiling" }));
        let bot = self.find(bot)?;
        let mut watch = |step: Step, done: usize, all: usize| {
            let phase = if step == Step::Asking { "asking" } else { "analysing" };
            report(json!({ "phase": phase, "done": done, "all": all }));
        };
        let asked = rerun::ask(options, &bot, self.programs.policy(), stop, &mut watch)?;
        Ok(TaskResult { result: asked.json(), faults: Vec::new() })
    }

    /// Compares two bots in an arena of their own, which is removed afterwards.
    fn compare(&self, new: &TaskBot, old: &TaskBot, stop: &Arc<AtomicBool>, report: Report<'_>) -> anyhow::Result<TaskResult> {
        report(json!({ "phase": "preparing" }));
        let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
        let path = folder.path().to_owned();
        let set = |folder| *self.comparison.lock().unwrap_or_else(PoisonError::into_inner) = folder;
        set(Some(folder));
        let compared = self.compare_in(&path, [new, old], stop, report);
        set(None);
        compared
    }

    fn compare_in(
        &self,
        folder: &Path,
        [new, old]: [&TaskBot; 2],
        stop: &Arc<AtomicBool>,
        report: Report<'_>,
    ) -> anyhow::Result<TaskResult> {
        let mut store = Store::create(folder, &SETTINGS).map_err(store_error)?;
        let mut add = |bot: &TaskBot| {
            // "@" separates names from versions.
            let name = bot.label.replace('@', " ");
            find_or_add_bot(
                &mut store,
                self.programs.policy(),
                &BotToAdd { name: Some(&name), ..BotToAdd::new(&bot.text.parse()?) },
            )
        };
        let [old_bot, new_bot] = [add(old)?, add(new)?];
        let mut result = json!({ "new": new.label, "old": old.label, "finished": true, "same_program": false, "series": null });
        if new_bot.is_same_program(&old_bot) {
            result["same_program"] = true.into();
            return Ok(TaskResult { result, faults: Vec::new() });
        }
        let players = [&new_bot, &old_bot];
        let mut runner = Runner::new(&store, self.programs.policy(), &players, &PlayOptions::default(), stop)?;
        let comparison = Comparison::new(ComparisonConfig::default())?;
        let mut series = Series::from_comparison(&[], comparison, false).remove(0);
        let range = SeriesRange { bots: [new_bot.id, old_bot.id], first_seed: 1, most_blocks: MOST_BLOCKS };
        let mut watch = |series: &Series| report(json!({ "phase": "playing", "games": series.games, "series": series.json() }));
        let shown = Shown { json: false, line: false };
        result["finished"] = series.play(&mut runner, &mut store, range, shown, &mut watch)?.into();
        result["series"] = series.json();
        pacman2_runner::sweep();
        Ok(TaskResult { result, faults: Vec::new() })
    }
}

/// Gets objects that say how far a task is.
type Report<'a> = &'a dyn Fn(Value);

/// Returns the templates that can be played as they are: the page builds no projects.
fn templates() -> impl Iterator<Item = &'static Template> {
    TEMPLATES.into_iter().filter(|template| template.build.is_empty())
}

impl BotWorkshop for LocalWorkshop {
    fn templates(&self) -> Vec<BotTemplate> {
        let kinds = |template: &Template| {
            let is_there = |kind: &BotKind| *kind != BotKind::Net || !template.net.is_empty();
            BotKind::ALL.into_iter().filter(is_there).map(BotKind::name).collect()
        };
        let shown = |template: &'static Template| BotTemplate {
            language: template.name,
            title: template.language,
            usual: template.usual.name(),
            kinds: kinds(template),
        };
        templates().map(shown).collect()
    }

    fn write_template(&self, language: &str, kind: Option<&str>, folder: &Path, name: &str) -> Result<(), BackendError> {
        let write = || {
            let expected = |names: Vec<&str>| bad_input(format!("expected one of {}", names.join(", ")));
            let template = templates().find(|template| template.name == language);
            let template = template.ok_or_else(|| expected(templates().map(|template| template.name).collect()))?;
            let kind = kind.map(|name| {
                let found = BotKind::ALL.into_iter().find(|kind| kind.name() == name);
                found.ok_or_else(|| expected(BotKind::ALL.map(BotKind::name).to_vec()))
            });
            template.write(new::kind_of(template, kind.transpose()?)?, folder, name)
        };
        write().map_err(backend_error)
    }

    fn work(&self, task: &BotTask, stop: &Arc<AtomicBool>, report: &dyn Fn(Value)) -> Result<TaskResult, BackendError> {
        let worked = match task {
            BotTask::Check(bot) => self.check(bot, stop, report),
            BotTask::Rerun { bot, replay, seat, simulations } => {
                let options = RerunOptions::from_replay((**replay).clone(), "match".to_owned(), *seat, false);
                options.and_then(|mut options| {
                    options.simulations = simulations.unwrap_or(options.simulations);
                    self.rerun(bot, &options, stop, report)
                })
            }
            BotTask::Compare { new, old } => self.compare(new, old, stop, report),
        };
        worked.map_err(backend_error)
    }
}
