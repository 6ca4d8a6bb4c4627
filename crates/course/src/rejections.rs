//! Submissions that failed in an earlier run. They are not compiled and tried again until they change.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pacman2_botzone::response::Verdict;
use pacman2_botzone::words::Bilingual;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_runner::{CppStandard, Tier};
use serde::Deserialize;
use serde_json::{Value, json};

use super::grades::{Rejection, RejectionReason};
use super::single::Taken;
use super::submissions::Submission;

/// What the file says it is.
const FORMAT: &str = "pacman2 rejections";

/// The rejections of earlier runs, kept in a file.
pub(super) struct Rejections {
    path: PathBuf,
    /// What rejections depend on besides the submission.
    tier: Tier,
    standard: Option<CppStandard>,
    by_submission: BTreeMap<String, Known>,
}

/// A rejection, and what the submission was taken to be.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) rejection: Rejection,
    pub(super) taken: Taken,
}

impl Rejections {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    ///
    /// If this program did not write it.
    pub(super) fn read(path: PathBuf, tier: Tier, standard: Option<CppStandard>) -> anyhow::Result<Rejections> {
        let by_submission = if path.exists() {
            parse(&files::read(&path)?).ok_or_else(|| {
                let path = path.display();
                bad_input(format!(
                    "{path}: expected the rejections of an earlier run; delete the file to try all submissions again"
                ))
            })?
        } else {
            BTreeMap::new()
        };
        Ok(Rejections { path, tier, standard, by_submission })
    }

    /// Forgets all rejections, so that all submissions are tried again.
    pub(super) fn clear(&mut self) {
        self.by_submission.clear();
    }

    /// Returns why this submission was rejected, if it was.
    pub(super) fn get(&self, submission: &Submission) -> Option<&Known> {
        self.by_submission.get(&self.key(submission)?)
    }

    /// Keeps a rejection, if it is not due to something that this machine lacks.
    pub(super) fn keep(&mut self, submission: &Submission, known: &Known) -> anyhow::Result<()> {
        let is_final = matches!(known.rejection.reason, RejectionReason::DoesNotCompile | RejectionReason::FailsTrial { .. });
        let Some(key) = self.key(submission).filter(|_| is_final) else { return Ok(()) };
        self.by_submission.insert(key, known.clone());
        let entries: BTreeMap<&String, Value> = self.by_submission.iter().map(|(key, known)| (key, entry(known))).collect();
        files::write(&self.path, &format!("{:#}\n", json!({ "format": FORMAT, "rejections": entries })))
    }

    /// Returns what a rejection depends on: all that was handed in, the name of the bot's file, which gives its language, and the
    /// sandbox.
    fn key(&self, submission: &Submission) -> Option<String> {
        let name = submission.bot.as_ref().ok()?.file_name()?.to_string_lossy();
        let content = submission.hash()?;
        let standard = self.standard.map_or_else(String::new, |standard| format!(" {}", standard.name()));
        Some(format!("{content} {}{standard} {name}", self.tier))
    }
}

fn entry(Known { rejection, taken }: &Known) -> Value {
    let Bilingual { zh, en } = &rejection.details;
    let Taken { language, compilation, .. } = taken;
    let reason = rejection.reason.key();
    let mut entry = json!({ "reason": reason, "zh": zh, "en": en, "language": language, "compilation": compilation });
    if let RejectionReason::FailsTrial { kind, turn } = rejection.reason {
        entry["fault"] = kind.name().into();
        entry["turn"] = turn.into();
    }
    entry
}

/// The file. A tree of one that is corrupt could be a hundred times as large.
#[derive(Deserialize)]
struct Kept {
    format: String,
    rejections: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    reason: String,
    zh: String,
    en: String,
    language: Option<String>,
    compilation: Option<String>,
    fault: Option<String>,
    turn: Option<u32>,
}

fn parse(text: &str) -> Option<BTreeMap<String, Known>> {
    let kept: Kept = serde_json::from_str(text).ok().filter(|kept: &Kept| kept.format == FORMAT)?;
    kept.rejections.into_iter().map(|(key, entry)| Some((key, entry.known()?))).collect()
}

impl Entry {
    fn known(self) -> Option<Known> {
        let kind = self.fault.and_then(|fault| fault.parse().ok()).filter(Verdict::is_fault);
        let fails_trial = kind.zip(self.turn).map(|(kind, turn)| RejectionReason::FailsTrial { kind, turn });
        let reasons = [Some(RejectionReason::DoesNotCompile), fails_trial];
        let reason = reasons.into_iter().flatten().find(|reason| self.reason == reason.key())?;
        let taken = Taken { language: self.language, compilation: self.compilation, ..Taken::default() };
        Some(Known { rejection: Rejection { reason, details: Bilingual::new(self.zh, self.en) }, taken })
    }
}
