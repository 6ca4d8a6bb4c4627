//! What the page of the user's own bots does with them: the same as the commands.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pacman2_bot_source::check;
use pacman2_bot_source::resolve::Bot;
use pacman2_bot_source::source::{BotArgument, BotSource};
use pacman2_console::error::bad_input;
use pacman2_runner::Limits;
use pacman2_templates::{BotKind, TEMPLATES, Template};
use pacman2_web::server::{BackendError, BotTask, BotTemplate, BotWorkshop, TaskBot, TaskResult};
use serde_json::{Value, json};

use super::{Programs, backend_error};
use crate::new;

/// Works on bots of this machine.
pub(super) struct LocalWorkshop {
    programs: Arc<Programs>,
}

impl LocalWorkshop {
    pub(super) fn new(programs: &Arc<Programs>) -> LocalWorkshop {
        LocalWorkshop { programs: Arc::clone(programs) }
    }

    /// Finds a bot, and compiles it if it is a source.
    fn find(&self, bot: &TaskBot) -> anyhow::Result<Bot> {
        let mut found = Bot::find(&argument(bot)?, self.programs.policy())?;
        found.name.clone_from(&bot.label);
        Ok(found)
    }

    fn check(&self, bot: &TaskBot, stop: &AtomicBool, report: &dyn Fn(Value)) -> anyhow::Result<TaskResult> {
        report(json!({ "phase": "compiling" }));
        let bot = self.find(bot)?;
        report(json!({ "phase": "asking" }));
        let examined = check::examine(&bot, Limits::default(), self.programs.policy(), stop)?;
        Ok(TaskResult { result: examined.for_machines(), problems: examined.problems() })
    }
}

fn argument(bot: &TaskBot) -> anyhow::Result<BotArgument> {
    let text = bot.path.display().to_string();
    let source = BotSource::at(&bot.path).ok_or_else(|| bad_input(format!("{text}: no such file or folder")))?;
    Ok(BotArgument { text, source, standard: None })
}

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
        };
        worked.map_err(backend_error)
    }
}
