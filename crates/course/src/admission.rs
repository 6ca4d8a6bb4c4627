//! Admission: references and submissions are copied, compiled and tried before they play.

use pacman2_console::stdout::stdout;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use pacman2_arena::candidate::{BotToAdd, Candidate, TrialFault};
use pacman2_arena::copied_data;
use pacman2_arena::one_file::OneFile;
use pacman2_arena::progress::EVENTS;
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::source_files::MainSource;
use pacman2_bot_source::{compile, resolve};
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::error::{BadInput, bad_input};
use pacman2_console::json_output::labelled;
use pacman2_console::language::locale;
use pacman2_console::text::sanitize;
use pacman2_runner::{Compiler, CppStandard, Language, open_input_file};
use pacman2_tournament::{BotId, Store};
use serde_json::json;

use super::config::{Config, Reference};
use super::grades::{AdmittedReference, Participant, Rejection, RejectionReason};
use super::reasons;
use super::rejections::{Known, Rejections};
use super::single::Taken;
use super::submissions::Submission;

/// Checks that this machine has the compilers and interpreters of all bots. Without one of them, all submissions in that
/// language would fail through no fault of their own.
pub(super) fn check_tools(config: &Config, submissions: &[Submission]) -> anyhow::Result<()> {
    let bots = submissions.iter().filter_map(|submission| submission.bot.clone().ok());
    for bot in bots.chain(config.references.iter().flat_map(|reference| reference.bot.source.files())) {
        resolve::check_tools(&bot).map_err(|error| bad_input(format!("{}; nothing was played", sanitize(&error.to_string()))))?;
    }
    Ok(())
}

/// How it is reported what becomes of submissions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reports {
    /// As events on standard output.
    Events,
    /// As sentences on standard output.
    Sentences,
    /// As sentences on standard error: standard output is for something else.
    OnStandardError,
    /// In a list at the end.
    Listed,
}

/// How a submission is judged.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) policy: &'a SandboxPolicy,
    /// The version of C++ of sources whose name does not give it.
    pub(super) standard: Option<CppStandard>,
    /// The folder for copies of the submissions.
    pub(super) entries: &'a Path,
    /// Set when the program is asked to stop. A trial that was interrupted proves nothing.
    pub(super) stop: &'a AtomicBool,
}

/// What became of a submission.
pub(super) struct Judged {
    /// What it was taken to be.
    pub(super) taken: Taken,
    pub(super) bot: Result<BotId, Rejection>,
    /// How long its trial game took, in seconds, if it was played now.
    pub(super) seconds: Option<f64>,
}

/// Admits bots to the arena of a tournament.
pub(super) struct Admission<'a> {
    pub(super) rules: Rules<'a>,
    pub(super) reports: Reports,
    /// The BOT argument that plays each bot again.
    pub(super) commands: BTreeMap<BotId, String>,
    /// What earlier runs rejected.
    pub(super) rejections: Rejections,
    /// How long each trial game took that was played now, in seconds.
    pub(super) trial_times: Vec<(BotId, f64)>,
}

impl Admission<'_> {
    /// Admits the references.
    ///
    /// # Errors
    ///
    /// If one of them cannot play.
    pub(super) fn admit_references(&mut self, store: &mut Store, config: &Config) -> anyhow::Result<Vec<AdmittedReference>> {
        let mut references = Vec::new();
        for Reference { name, bot } in &config.references {
            let failed = || format!("the reference {bot} cannot play");
            let source = BotToAdd { name: Some(name), ..BotToAdd::new(bot) };
            let candidate = Candidate::find(store, self.rules.policy, &source).with_context(failed)?;
            let trial = self.rules.play_trial(&candidate, store).and_then(|trial| trial.map_err(bad_input));
            let seconds = trial.with_context(failed)?;
            let added = candidate.add_to(store)?;
            self.trial_times.extend(seconds.map(|seconds| (added.id, seconds)));
            self.commands.insert(added.id, bot.text.clone());
            references.push(AdmittedReference { name: name.clone(), bot: added.id });
        }
        Ok(references)
    }

    /// Admits or rejects every submission. Returns `None` if it was interrupted.
    pub(super) fn admit_submissions(
        &mut self,
        store: &mut Store,
        submissions: &[Submission],
    ) -> anyhow::Result<Option<Vec<Participant>>> {
        let mut participants = Vec::new();
        for submission in submissions {
            if self.rules.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let known = self.rejections.get(submission).cloned();
            let Judged { taken, bot, seconds } = match known {
                Some(Known { rejection, taken }) => {
                    self.rules.copy_again(submission)?;
                    let taken = Taken { file: submission.place.clone(), ..taken };
                    Judged { taken, bot: Err(rejection), seconds: None }
                }
                None => match self.rules.judge(store, submission, None)? {
                    Some(judged) => judged,
                    None => return Ok(None),
                },
            };
            match &bot {
                Ok(bot) => {
                    self.trial_times.extend(seconds.map(|seconds| (*bot, seconds)));
                    self.commands.extend(submission.argument().map(|path| (*bot, path.to_string_lossy().into_owned())));
                }
                Err(rejection) => {
                    self.rejections.keep(submission, &Known { rejection: rejection.clone(), taken: taken.clone() })?;
                }
            }
            let participant = Participant { name: submission.name.clone(), bot, taken, number: submission.number };
            self.report(&participant);
            participants.push(participant);
        }
        Ok(Some(participants))
    }

    /// Prints what became of a submission. The tournament goes on even if the reader of the output is gone.
    fn report(&self, Participant { name, bot, taken, .. }: &Participant) {
        let line = match bot {
            _ if self.reports == Reports::Events => {
                let status = bot.as_ref().err().map_or("ok", |rejection| rejection.reason.key());
                let why = bot.as_ref().err().map(|rejection| rejection.evidence().en);
                let Taken { file, language, compilation } = taken;
                let entry = json!({
                    "event": "entry", "name": name, "status": status, "file": file, "language": language,
                    "compilation": compilation, "reason": why,
                });
                labelled(EVENTS, entry).to_string()
            }
            Ok(_) => return,
            Err(_) if self.reports == Reports::Listed => return,
            Err(rejection) => {
                let [what, evidence] = [rejection.reason.words(), rejection.evidence()].map(|words| words.in_language(locale()));
                format!("{}: {what}; not admitted: {evidence}", sanitize(name))
            }
        };
        match self.reports {
            Reports::OnStandardError => eprintln!("pacman2: {line}"),
            _ => {
                let _ = writeln!(stdout(), "{line}");
            }
        }
    }
}

impl Rules<'_> {
    /// Returns what a submission seems to be, by its name.
    fn taken(&self, submission: &Submission) -> Taken {
        let file = submission.place.clone();
        let Ok(bot) = &submission.bot else { return Taken { file, ..Taken::default() } };
        let language = Language::from_file(bot);
        // The copy is what is compiled, and it stays.
        let copy = self.folder_of(submission).join(bot.file_name().unwrap_or_default());
        let source = MainSource { path: &copy, own_folder: copy.parent() };
        let standard = self.standard.or_else(|| CppStandard::from_file(bot)).unwrap_or(CppStandard::Cpp17);
        let compilation = compile::shown_command(&source, standard);
        Taken { file, language: Some(language.map_or(resolve::PROGRAM, Language::name).to_owned()), compilation }
    }

    /// Admits or rejects a submission. The version of its bot is by default the next number. Returns `None` if it was interrupted.
    ///
    /// # Errors
    ///
    /// If something is wrong with this machine; a bad submission is a rejection.
    pub(super) fn judge(
        &self,
        store: &mut Store,
        submission: &Submission,
        version: Option<&str>,
    ) -> anyhow::Result<Option<Judged>> {
        let (mut taken, mut seconds) = (None, None);
        let bot = self.admit(store, submission, version, (&mut taken, &mut seconds))?;
        Ok(bot.map(|bot| Judged { taken: taken.unwrap_or_else(|| self.taken(submission)), bot, seconds }))
    }

    fn admit(
        &self,
        store: &mut Store,
        submission: &Submission,
        version: Option<&str>,
        (taken, seconds): (&mut Option<Taken>, &mut Option<f64>),
    ) -> anyhow::Result<Option<Result<BotId, Rejection>>> {
        let original = match &submission.bot {
            Ok(original) => original,
            Err(details) => return Ok(Some(Err(Rejection { reason: RejectionReason::NoBot, details: details.clone() }))),
        };
        if let Err(error) = open_input_file(original, resolve::MAX_FILE_BYTES) {
            let details = Bilingual::new(format!("无法读取：{error}"), format!("cannot read it: {error}"));
            return Ok(Some(Err(Rejection { reason: RejectionReason::NoBot, details })));
        }
        let reject = |file: &Path, reason, error: anyhow::Error| -> anyhow::Result<Option<Result<BotId, Rejection>>> {
            if error.downcast_ref::<BadInput>().is_none() {
                return Err(error.context(format!("cannot admit {}", sanitize(&submission.name))));
            }
            let Bilingual { zh, en } = reasons::from_error(&error);
            let details = Bilingual::new(without_folder(file, &zh), without_folder(file, &en));
            Ok(Some(Err(Rejection { reason, details })))
        };
        let copy = match one_file(submission, original) {
            Ok(one) => self.copy(&one, submission)?,
            Err(error) => return reject(original, unusable(original), error),
        };
        copy.to_str().context("the name of the submission is not UTF-8")?;
        let bot = BotArgument::from_file(copy.clone()).with_standard(self.standard);
        let source = BotToAdd { name: Some(&submission.name), version, is_one_file: true, ..BotToAdd::new(&bot) };
        let candidate = match Candidate::find(store, self.policy, &source) {
            Ok(candidate) => candidate,
            Err(error) => {
                return reject(&copy, unusable(original), error);
            }
        };
        let (language, compilation) = (Some(candidate.bot().taken_as()), candidate.bot().compilation());
        *taken = Some(Taken { file: submission.place.clone(), language, compilation });
        // A second trial decides: a moment in which this machine was busy shall not cost anyone the tournament.
        let mut trial = self.play_trial(&candidate, store);
        if !matches!(trial, Ok(Ok(_))) {
            trial = self.play_trial(&candidate, store);
        }
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match trial {
            Ok(Ok(time)) => *seconds = time,
            Ok(Err(fault)) => {
                let [zh, en] = [Locale::Chinese, Locale::English].map(|locale| without_folder(&copy, &fault.words(locale)));
                let reason = RejectionReason::FailsTrial { kind: fault.kind, turn: fault.turn };
                return Ok(Some(Err(Rejection { reason, details: Bilingual { zh, en } })));
            }
            Err(error) => return reject(&copy, RejectionReason::CannotRun, error),
        }
        Ok(Some(Ok(candidate.add_to(store)?.id)))
    }

    /// Plays the trial game of a bot. Returns how long it took, in seconds, unless the arena knows the bot already; or how it forfeited.
    fn play_trial(&self, candidate: &Candidate<'_>, store: &Store) -> anyhow::Result<Result<Option<f64>, TrialFault>> {
        let begin = Instant::now();
        let trial = candidate.play_trial(store, self.policy, self.stop)?;
        Ok(trial.map(|()| (!candidate.is_known()).then(|| begin.elapsed().as_secs_f64())))
    }

    /// Returns the folder with what is judged of a submission.
    fn folder_of(&self, submission: &Submission) -> PathBuf {
        self.entries.join(submission.number.to_string())
    }

    /// Copies a submission that is not tried again. Its number may have changed, and its author's command names the copy.
    fn copy_again(&self, submission: &Submission) -> anyhow::Result<()> {
        let Ok(original) = &submission.bot else { return Ok(()) };
        match one_file(submission, original) {
            Ok(one) => self.copy(&one, submission).map(drop),
            // It was rejected for that.
            Err(_) => Ok(()),
        }
    }

    /// Copies the file of a bot and its data, without other files beside it. The copy is what plays.
    fn copy(&self, OneFile { file, data, .. }: &OneFile, submission: &Submission) -> anyhow::Result<PathBuf> {
        let folder = self.folder_of(submission);
        let copy = folder.join(file.file_name().unwrap_or_default());
        let failed = || format!("cannot copy {} to {}", file.display(), copy.display());
        // An earlier copy may be of another participant.
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(failed)?;
        }
        fs::create_dir_all(&folder).with_context(failed)?;
        fs::copy(file, &copy).with_context(failed)?;
        copied_data::copy_into(data.as_deref(), &folder)?;
        Ok(copy)
    }
}

/// Returns the file in which the bot of a submission plays.
fn one_file(submission: &Submission, original: &Path) -> anyhow::Result<OneFile> {
    match submission.folder() {
        Some(folder) => OneFile::from_bot(original, Some(folder), false),
        // Beside a single file lie those of others.
        None => Ok(OneFile { file: original.to_owned(), data: None, folder: None }),
    }
}

/// Returns a text without the path of the folder of a file: it means nothing to the author.
fn without_folder(file: &Path, text: &str) -> String {
    let folder = format!("{}{}", file.parent().unwrap_or(Path::new("")).display(), std::path::MAIN_SEPARATOR);
    text.replace(&folder, "")
}

/// Why a bot that is not even tried is rejected, by its language.
fn unusable(file: &Path) -> RejectionReason {
    if Compiler::from_file(file).is_some() { RejectionReason::DoesNotCompile } else { RejectionReason::CannotRun }
}
