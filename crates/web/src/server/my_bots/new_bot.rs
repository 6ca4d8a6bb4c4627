//! New bots: from a template, or from files that a page sends.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::bot_name;
use pacman2_bot_source::source::BotSource;
use pacman2_console::error::{causes_of, reworded};
use pacman2_console::files;
use pacman2_runner::Language;
use serde::Deserialize;
use tempfile::TempDir;

use super::BotWorkshop;
use super::folder::{BotsFolder, MAX_BYTES, MAX_FILES, TOO_LARGE, inner_path, not_written, shown_path, small_files};
use super::history::copy_files;
use crate::server::backend::BackendError;
use crate::server::error::ApiError;

/// The body of a request for a new bot.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewBotBody {
    name: String,
    /// The language of a template.
    template: Option<String>,
    /// What a bot of a template does; by default what is usual for the language.
    kind: Option<String>,
    files: Option<Vec<NewFile>>,
}

/// A file of a new bot.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewFile {
    path: String,
    text: Option<String>,
    base64: Option<String>,
}

impl NewFile {
    fn content(self) -> Result<(String, Vec<u8>), ApiError> {
        let content = match (self.text, self.base64) {
            (Some(text), None) => Some(text.into_bytes()),
            (None, Some(base64)) => STANDARD.decode(base64).ok(),
            _ => None,
        };
        Ok((self.path, content.ok_or(ApiError::BotContent {})?))
    }
}

/// Adds a bot to the folder, complete or not at all. Returns its name there.
pub(super) fn create(folder: &BotsFolder, workshop: &dyn BotWorkshop, body: NewBotBody) -> Result<String, ApiError> {
    let NewBotBody { name, template, kind, files } = body;
    let name = name.trim();
    bot_name::check(name)?;
    let _lock = folder.lock();
    let place = Place { folder: folder.path(), name };
    match (template, files) {
        (Some(template), None) => {
            let (_unfinished, made) = place.unfinished()?;
            workshop
                .write_template(&template, kind.as_deref(), &made, name)
                .map_err(|BackendError { reason, causes, .. }| ApiError::BotUnusable { reason, causes })?;
            place.add(name.to_owned(), |path| fs::rename(&made, path).map_err(not_written))
        }
        (None, Some(files)) if kind.is_none() => {
            if files.len() > MAX_FILES {
                return Err(TOO_LARGE);
            }
            place.add_files(files.into_iter().map(NewFile::content).collect::<Result<_, _>>()?)
        }
        _ => Err(ApiError::BotContent {}),
    }
}

/// Where a new bot is to be.
struct Place<'a> {
    folder: &'a Path,
    name: &'a str,
}

impl Place<'_> {
    /// Returns a temporary folder on the disk of the bots, and an empty one in it.
    fn unfinished(&self) -> Result<(TempDir, PathBuf), ApiError> {
        let unfinished = tempfile::Builder::new().prefix(files::TEMPORARY).tempdir_in(self.folder).map_err(not_written)?;
        let made = unfinished.path().join(self.name);
        fs::create_dir(&made).map_err(not_written)?;
        Ok((unfinished, made))
    }

    /// Adds an entry, unless there is one of this name.
    fn add(&self, entry: String, add: impl FnOnce(&Path) -> Result<(), ApiError>) -> Result<String, ApiError> {
        let is_taken = |name: &str| fs::symlink_metadata(self.folder.join(name)).is_ok();
        if is_taken(&entry) {
            let extension = &entry[self.name.len()..];
            let free = bot_name::free(self.name, |name| is_taken(name) || is_taken(&format!("{name}{extension}")));
            return Err(ApiError::BotExists { bot: entry, free });
        }
        add(&self.folder.join(&entry))?;
        Ok(entry)
    }

    /// Adds a source as a file, and more files or an archive as a folder.
    fn add_files(&self, new: Vec<(String, Vec<u8>)>) -> Result<String, ApiError> {
        let (unfinished, made) = self.unfinished()?;
        if let [(path, content)] = &new[..]
            && let Some(path) = inner_path(path).filter(|path| path.iter().count() == 1 && Language::from_file(path).is_some())
        {
            let made = made.join("source");
            fs::write(&made, content).map_err(not_written)?;
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            let has_extension = Path::new(self.name).extension() == path.extension();
            let entry = if has_extension { self.name.to_owned() } else { format!("{}.{extension}", self.name) };
            return self.add(entry, |path| fs::rename(&made, path).map_err(not_written));
        }
        if new.iter().map(|(_, content)| content.len() as u64).sum::<u64>() > MAX_BYTES {
            return Err(TOO_LARGE);
        }
        for (path, content) in new {
            let target = inner_path(&path).map(|inner| made.join(inner)).filter(|target| !target.exists());
            let target = target.ok_or(ApiError::BotPath { path })?;
            fs::create_dir_all(files::folder_of(&target)).map_err(not_written)?;
            fs::write(target, content).map_err(not_written)?;
        }
        let unusable = |error: anyhow::Error| {
            let error = reworded(error, &made.to_string_lossy(), self.name);
            ApiError::BotUnusable { reason: format!("{error:#}"), causes: causes_of(&error) }
        };
        let unpacked = Unpacked::from_source(&BotSource::Folder(made.clone())).map_err(unusable)?;
        unpacked.source.file().map_err(|error| unusable(unpacked.named(error)))?;
        let BotSource::Folder(found) = &unpacked.source else { return Err(ApiError::BotContent {}) };
        let own = small_files(found)?;
        if let Some(path) = own.iter().find(|path| inner_path(&shown_path(path)).is_none()) {
            return Err(ApiError::BotPath { path: shown_path(path) });
        }
        let copy = unfinished.path().join("copy");
        copy_files(found, &own, &copy).map_err(not_written)?;
        self.add(self.name.to_owned(), |path| fs::rename(&copy, path).map_err(not_written))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use serde_json::{Value, json};

    use super::*;
    use crate::server::my_bots::{BotTask, BotTemplate, TaskResult};

    /// Writes one file, whatever the template.
    struct OneFile;

    impl BotWorkshop for OneFile {
        fn templates(&self) -> Vec<BotTemplate> {
            Vec::new()
        }

        fn write_template(&self, language: &str, kind: Option<&str>, folder: &Path, name: &str) -> Result<(), BackendError> {
            fs::write(folder.join("bot.py"), format!("{language} {kind:?} {name}"))
                .map_err(|error| error.to_string().as_str().into())
        }

        fn work(&self, _: &BotTask, _: &Arc<AtomicBool>, _: &dyn Fn(Value)) -> Result<TaskResult, BackendError> {
            Err("nothing to do".into())
        }
    }

    fn make(folder: &Path, body: Value) -> Result<String, ApiError> {
        create(&BotsFolder::new(folder.to_owned()), &OneFile, serde_json::from_value(body).unwrap())
    }

    /// Makes a bot in an empty folder, and returns the paths in it.
    #[track_caller]
    fn check(body: Value, expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), body).unwrap();
        let files = pacman2_bot_source::bot_folder::files_below(dir.path(), 100, |_| true).unwrap();
        assert_eq!(files.iter().map(|file| shown_path(file)).collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    fn check_refused(body: Value, is_expected: impl FnOnce(&ApiError) -> bool) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("taken")).unwrap();
        let error = make(dir.path(), body).unwrap_err();
        assert!(is_expected(&error), "{error:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "something was left");
    }

    /// Returns a ZIP archive of these files, stored.
    fn zip(files: &[(&str, &str)]) -> String {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, text) in files {
            zip.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        STANDARD.encode(zip.finish().unwrap().into_inner())
    }

    fn file(path: &str) -> Value {
        json!({ "path": path, "text": "x" })
    }

    #[test]
    fn a_bot_begins_as_a_template_a_source_a_folder_or_an_archive() {
        check(json!({ "name": " mine ", "template": "python" }), &["mine/bot.py"]);
        check(json!({ "name": "mine", "files": [file("pasted.py")] }), &["mine.py"]);
        check(json!({ "name": "mine.py", "files": [file("pasted.py")] }), &["mine.py"]);
        check(
            json!({ "name": "mine", "files": [file("dropped/main.py"), file("dropped/lib/a.py")] }),
            &["mine/lib/a.py", "mine/main.py"],
        );
        let packed = zip(&[("top/main.cpp", "x"), ("top/a.hpp", "x"), ("__MACOSX/x", "x")]);
        check(json!({ "name": "mine", "files": [{ "path": "bot.zip", "base64": packed }] }), &["mine/a.hpp", "mine/main.cpp"]);
    }

    #[test]
    fn what_is_no_bot_leaves_nothing() {
        let named = |name: &str| json!({ "name": name, "files": [file("a.py")] });
        check_refused(named("../a"), |error| matches!(error, ApiError::BotName { .. }));
        check_refused(named("nul"), |error| matches!(error, ApiError::BotName { .. }));
        let taken = json!({ "name": "taken", "template": "python" });
        check_refused(taken, |error| *error == ApiError::BotExists { bot: "taken".to_owned(), free: "taken2".to_owned() });
        let with = |files: Value| json!({ "name": "mine", "files": files });
        check_refused(with(json!([])), |error| matches!(error, ApiError::BotUnusable { .. }));
        check_refused(
            with(json!([file("notes.md")])),
            |error| matches!(error, ApiError::BotUnusable { reason, causes } if reason.starts_with("mine: no bot") && causes[0].params["folder"] == "mine"),
        );
        check_refused(with(json!([file("a.py"), file("../b.py")])), |error| matches!(error, ApiError::BotPath { .. }));
        check_refused(with(json!([file("a.py"), file("con.py")])), |error| matches!(error, ApiError::BotPath { .. }));
        check_refused(with(json!([file("main.py"), file("main.py")])), |error| matches!(error, ApiError::BotPath { .. }));
        check_refused(with(json!([{ "path": "a.py" }])), |error| *error == ApiError::BotContent {});
        let packed = |files: &[(&str, &str)]| with(json!([{ "path": "bot.zip", "base64": zip(files) }]));
        check_refused(packed(&[("../a.py", "x")]), |error| matches!(error, ApiError::BotUnusable { .. }));
        let many: Vec<String> = (0..501).map(|number| format!("f{number}.py")).collect();
        check_refused(
            packed(&many.iter().map(|name| (name.as_str(), "x")).chain([("main.py", "x")]).collect::<Vec<_>>()),
            |error| *error == TOO_LARGE,
        );
        check_refused(packed(&[("main.py", "x"), ("large", &"x".repeat(17 << 20))]), |error| *error == TOO_LARGE);
    }
}
