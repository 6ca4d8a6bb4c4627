//! Submissions that failed in an earlier run. They are not compiled and tried again until they change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pacman2_bot_source::hash;
use pacman2_botzone::response::Verdict;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_runner::{CppStandard, Tier};
use pacman2_tournament::bilingual::Bilingual;
use serde_json::{Value, json};

use super::grades::{Rejection, RejectionReason};

/// What the file says it is.
const FORMAT: &str = "pacman2 rejections";

/// The rejections of earlier runs, kept in a file.
pub(super) struct Rejections {
    path: PathBuf,
    /// What rejections depend on besides the submission.
    tier: Tier,
    standard: Option<CppStandard>,
    by_submission: BTreeMap<String, Rejection>,
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

    /// Returns why this file was rejected, if it was.
    pub(super) fn get(&self, submission: &Path) -> Option<&Rejection> {
        self.by_submission.get(&self.key(submission)?)
    }

    /// Keeps a rejection, if it is not due to something that this machine lacks.
    pub(super) fn keep(&mut self, submission: &Path, rejection: &Rejection) -> anyhow::Result<()> {
        let is_final = matches!(rejection.reason, RejectionReason::DoesNotCompile | RejectionReason::FailsTrial { .. });
        let Some(key) = self.key(submission).filter(|_| is_final) else { return Ok(()) };
        self.by_submission.insert(key, rejection.clone());
        let entries: BTreeMap<&String, Value> =
            self.by_submission.iter().map(|(key, rejection)| (key, entry(rejection))).collect();
        files::write(&self.path, &format!("{:#}\n", json!({ "format": FORMAT, "rejections": entries })))
    }

    /// Returns what a rejection depends on: the name of the file, which gives its language, its content, and the sandbox.
    fn key(&self, submission: &Path) -> Option<String> {
        let name = submission.file_name()?.to_string_lossy();
        let content = hash::of_files(&[submission.to_owned()])?;
        let standard = self.standard.map_or_else(String::new, |standard| format!(" {}", standard.name()));
        Some(format!("{content} {}{standard} {name}", self.tier))
    }
}

fn entry(rejection: &Rejection) -> Value {
    let Bilingual { zh, en } = &rejection.details;
    let mut entry = json!({ "reason": rejection.reason.key(), "zh": zh, "en": en });
    if let RejectionReason::FailsTrial { kind, turn } = rejection.reason {
        entry["fault"] = kind.name().into();
        entry["turn"] = turn.into();
    }
    entry
}

fn parse(text: &str) -> Option<BTreeMap<String, Rejection>> {
    let file: Value = serde_json::from_str(text).ok()?;
    if file["format"] != FORMAT {
        return None;
    }
    let entry = |(key, entry): (&String, &Value)| {
        let fails_trial = || {
            let kind = entry["fault"].as_str()?.parse().ok().filter(Verdict::is_fault)?;
            Some(RejectionReason::FailsTrial { kind, turn: entry["turn"].as_u64()?.try_into().ok()? })
        };
        let reasons = [Some(RejectionReason::DoesNotCompile), fails_trial()];
        let reason = reasons.into_iter().flatten().find(|reason| entry["reason"] == reason.key())?;
        let details = Bilingual::new(entry["zh"].as_str()?, entry["en"].as_str()?);
        Some((key.clone(), Rejection { reason, details }))
    };
    file["rejections"].as_object()?.iter().map(entry).collect()
}
