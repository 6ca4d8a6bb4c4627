//! Every error that the server reports: its status, its code with parameters, and a sentence in English.
//!
//! `api_errors!` is the only list of them. Responses carry code, parameters and sentence. English pages show the sentence, others
//! word the code in their language (`viewer/server-errors.js`, and `viewer/reasons.js` for their causes).

use std::io;
use std::path::Path;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pacman2_bot_source::bot_name::BotNameError;
use pacman2_botzone::problem::{Problem, from_map};
use pacman2_console::error::causes_of;
use pacman2_maps::{MapError, MapErrorReason};
use pacman2_match::problem::{from_file, from_system};
use pacman2_replay::games::GameError;
use pacman2_replay::{ReplayDifference, ReplayError};
use pacman2_runner::InputFileError;
use pacman2_tournament::StoreError;
use serde::Serialize;
use serde_json::Value;

use super::response::json;
use crate::human::NotExpectedError;

macro_rules! api_errors {
    ($($status:ident $code:literal $name:ident { $($param:ident: $type:ty),* } => $sentence:literal;)*) => {
        /// An error as a client sees it.
        #[derive(Clone, PartialEq, Debug, thiserror::Error, Serialize)]
        #[serde(tag = "code", content = "params")]
        pub enum ApiError {
            $(
                #[allow(missing_docs, reason = "the sentence says it")]
                #[error($sentence)]
                #[serde(rename = $code)]
                $name { $($param: $type),* },
            )*
        }

        impl ApiError {
            fn status(&self) -> StatusCode {
                match self {
                    $(ApiError::$name { .. } => StatusCode::$status,)*
                }
            }
        }

        /// The codes with the names of their parameters.
        #[cfg(test)]
        const CODES: &[(&str, &[&str])] = &[$(($code, &[$(stringify!($param)),*])),*];
    };
}

api_errors! {
    // Who may make which request.
    FORBIDDEN "wrong-host" WrongHost { port: u16 } =>
        "this server is not reachable under that name; open http://127.0.0.1:{port}/";
    FORBIDDEN "foreign-origin" ForeignOrigin {} => "requests from pages of another origin are not allowed";
    UNAUTHORIZED "token-needed" TokenNeeded {} => "the token is missing or wrong; enter the one that the terminal shows";
    FORBIDDEN "wrong-secret" WrongSecret {} =>
        "the code or token is wrong, or the code was used or has expired; enter the token that the terminal shows";

    // Requests in general.
    NOT_FOUND "nothing-there" NothingThere { path: String } => "there is nothing at {path}";
    METHOD_NOT_ALLOWED "method-not-allowed" MethodNotAllowed {} =>
        "this method is not allowed here; see the list of requests";
    PAYLOAD_TOO_LARGE "request-too-large" RequestTooLarge {} => "the request is too large";
    BAD_REQUEST "request-cut-off" RequestCutOff {} => "the request ended early";
    REQUEST_TIMEOUT "request-too-slow" RequestTooSlow {} => "the request took too long to arrive";
    BAD_REQUEST "invalid-request" InvalidRequest { reason: String, causes: Vec<Problem> } => "invalid request: {reason}";
    BAD_REQUEST "out-of-range" OutOfRange { name: &'static str, min: u64, max: u64, got: String } =>
        "{name} must be between {min} and {max}, got {got}";
    INTERNAL_SERVER_ERROR "server-failed" ServerFailed {} =>
        "the server failed while it worked on this; its terminal shows why";
    INTERNAL_SERVER_ERROR "internal" Internal { reason: String, causes: Vec<Problem> } => "{reason}";
    SERVICE_UNAVAILABLE "shutting-down" ShuttingDown {} => "the server is shutting down";
    TOO_MANY_REQUESTS "too-many-responses" TooManyResponses {} =>
        "too many responses wait for clients that do not read them; try again later";
    TOO_MANY_REQUESTS "too-many-listeners" TooManyListeners { limit: usize } =>
        "listener limit reached ({limit} pages); close one of them";
    TOO_MANY_REQUESTS "too-many-listeners-of-client" TooManyListenersOfClient { limit: usize } =>
        "listener limit of your address reached ({limit} pages); close one of them";

    // Matches.
    NOT_FOUND "no-such-match" NoSuchMatch {} =>
        "there is no such match; the server forgets old matches, and all of them when it is restarted";
    NOT_FOUND "no-such-seat" NoSuchSeat { seat: usize } => "seat must be between 0 and 3, got {seat}";
    CONFLICT "not-waiting" NotWaiting { seat: usize, turn: u32 } =>
        "the match is not waiting for an action of player {seat} in turn {turn}";
    TOO_MANY_REQUESTS "too-many-matches" TooManyMatches { limit: usize } =>
        "match limit reached ({limit} running); wait for a match to end, or abandon one";
    BAD_REQUEST "bot-too-long" BotTooLong { seat: usize, max: usize, got: usize } =>
        "seat {seat}: the bot's text must have at most {max} bytes, got {got}";
    BAD_REQUEST "unknown-bot" UnknownBot { seat: usize, bot: String, reason: String } => "seat {seat}: {reason}";
    BAD_REQUEST "no-such-program" NoSuchProgram { seat: usize, bot: String, reason: String } => "seat {seat}: {reason}";
    BAD_REQUEST "no-sandbox" NoSandbox { seat: usize, bot: String, reason: String } => "seat {seat}: {reason}";
    BAD_REQUEST "does-not-compile" DoesNotCompile { seat: usize, bot: String, reason: String, causes: Vec<Problem> } => "seat {seat}: {reason}";
    BAD_REQUEST "bot-rejected" BotRejected { seat: usize, bot: String, reason: String, causes: Vec<Problem> } => "seat {seat}: {reason}";
    BAD_REQUEST "zero-time" ZeroTime { name: &'static str } => "{name} must be at least 1, got 0";
    BAD_REQUEST "unknown-ruling" UnknownRuling { reason: String, got: String } => "{reason}";
    BAD_REQUEST "map-with-size" MapWithSize {} =>
        "map excludes width and height, because it has its own size; remove either";
    BAD_REQUEST "map-size" MapSize { name: &'static str, min: i64, max: i64, got: String } =>
        "{name} must be a whole number between {min} and {max}, got {got}";
    BAD_REQUEST "past-with-map" PastWithMap {} =>
        "from excludes seed, width, height, map, turns and ruling, because its match has them; remove either";
    BAD_REQUEST "past-too-long" PastTooLong { max: usize, got: usize } =>
        "from.turn must be between 0 and {max}, the last turn in which the match went on, got {got}";
    BAD_REQUEST "map-rejected" MapRejected { reason: String, causes: Vec<Problem> } => "the map cannot be played: {reason}";
    INTERNAL_SERVER_ERROR "replay-not-saved" ReplayNotSaved { reason: String, causes: Vec<Problem> } => "{reason}";

    // Replays and match logs.
    NOT_FOUND "no-such-replay" NoSuchReplay {} => "there is no such replay";
    INTERNAL_SERVER_ERROR "folder-unreadable" FolderUnreadable { folder: String, reason: String, causes: Vec<Problem> } =>
        "{folder} cannot be read: {reason}";
    INTERNAL_SERVER_ERROR "file-unreadable" FileUnreadable { reason: String, causes: Vec<Problem> } => "cannot be read: {reason}";
    INTERNAL_SERVER_ERROR "not-utf8" NotUtf8 {} => "not UTF-8 text";
    BAD_REQUEST "not-json" NotJson { reason: String, causes: Vec<Problem> } => "not JSON: {reason}";
    BAD_REQUEST "unknown-format" UnknownFormat {} => "neither a replay nor a match log from Botzone";
    BAD_REQUEST "replay-version" ReplayVersion { expected: u32, got: u32 } => "expected replay version {expected}, got {got}";
    BAD_REQUEST "replay-rejected" ReplayRejected { reason: String, causes: Vec<Problem> } => "{reason}";
    BAD_REQUEST "match-log-rejected" MatchLogRejected { reason: String, causes: Vec<Problem> } => "{reason}";

    // Analyses.
    BAD_REQUEST "analysis-source" AnalysisSource {} => "expected exactly one of film, replay and match";
    BAD_REQUEST "hint-with-turns" HintWithTurns {} =>
        "match: turns is not allowed, because a hint is for the current turn only";
    BAD_REQUEST "hint-without-seat" HintWithoutSeat {} => "match: seat is missing; a hint is for the human in one seat";
    CONFLICT "no-hint" NoHint { seat: usize } => "no hint: the match is not waiting for an action of player {seat}";
    BAD_REQUEST "two-efforts" TwoEfforts {} => "time_ms and simulations exclude each other; remove either";
    BAD_REQUEST "nothing-decided" NothingDecided { reason: String, causes: Vec<Problem> } => "{reason}";
    TOO_MANY_REQUESTS "too-many-analyses" TooManyAnalyses { limit: usize } =>
        "analysis limit reached ({limit} running, one per core); try again later";

    // The user's own bots.
    NOT_FOUND "no-bots-folder" NoBotsFolder {} => "this server has no folder of bots; restart it with --bots DIR";
    NOT_FOUND "no-such-own-bot" NoSuchOwnBot { bot: String } => "there is no bot {bot} in the folder of bots";
    NOT_FOUND "no-such-own-file" NoSuchOwnFile { file: String } => "the bot has no file {file}";
    NOT_FOUND "no-such-version" NoSuchVersion { bot: String, version: u32 } => "there is no version {version} of {bot}";
    BAD_REQUEST "bot-name" BotName { got: String, suggested: String, reason: String } => "{reason}";
    BAD_REQUEST "bot-path" BotPath { path: String } =>
        "{path:?}: expected a path inside the bot's folder without \"..\", hidden files, links and names that some system reserves";
    CONFLICT "bot-exists" BotExists { bot: String, free: String } => "{bot} already exists; {free} is free";
    BAD_REQUEST "bot-content" BotContent {} => "expected either template or files, each file with either text or base64";
    BAD_REQUEST "bot-unusable" BotUnusable { reason: String, causes: Vec<Problem> } => "{reason}";
    PAYLOAD_TOO_LARGE "bot-too-large" BotTooLarge { files: usize, bytes: u64 } =>
        "expected at most {files} files and {bytes} bytes of a bot, got more";
    BAD_REQUEST "bot-read-only" BotReadOnly { bot: String } => "{bot} is an archive or a program, which has no source to edit";
    CONFLICT "source-changed" SourceChanged { file: String, hash: Option<String> } =>
        "{file} was changed by another program since it was read; nothing was saved";

    TOO_MANY_REQUESTS "bot-work-running" BotWorkRunning {} =>
        "a check, rerun or comparison of your bots is running; wait for it to end, or stop it";

    // The arena.
    NOT_FOUND "no-arena" NoArena {} => "this server shows no arena; restart it with the folder of one";
    NOT_FOUND "no-such-game" NoSuchGame {} => "there is no such game in this arena";
    NOT_FOUND "no-such-earlier-game" NoSuchEarlierGame {} => "before: there is no such game in this arena";
    NOT_FOUND "no-such-bot" NoSuchBot { bot: String } => "bot: there is no bot {bot} in this arena";
    BAD_REQUEST "unknown-parameter" UnknownParameter { expected: &'static str } =>
        "unknown or repeated parameter; expected {expected}, each at most once";
    BAD_REQUEST "unknown-fault" UnknownFault { expected: String, got: String } =>
        "fault: unknown kind {got}; expected {expected}";
}

impl ApiError {
    /// Returns the error for work that the operating system did not let the server do.
    pub(super) fn system(doing: &str, error: io::Error) -> ApiError {
        ApiError::Internal { reason: format!("{doing}: {error}"), causes: vec![from_system(&error.into())] }
    }

    /// Returns the error for work that failed for no fault of the client.
    pub(super) fn internal(error: &anyhow::Error) -> ApiError {
        ApiError::Internal { reason: format!("{error:#}"), causes: causes_of(error) }
    }

    /// Returns the error for an operating system without random numbers.
    pub(super) fn no_randomness(error: impl Into<io::Error>) -> ApiError {
        ApiError::system("cannot draw random numbers", error.into())
    }

    /// Returns the error for a folder that cannot be read.
    pub(super) fn folder_unreadable(folder: &Path, error: io::Error) -> ApiError {
        let (folder, reason) = (folder.display().to_string(), error.to_string());
        ApiError::FolderUnreadable { folder, reason, causes: vec![from_system(&error.into())] }
    }

    /// Returns the error as clients get it: an object with `error` (the sentence), `code` and `params`.
    pub(super) fn to_json(&self) -> Value {
        let mut object = serde_json::to_value(self).expect("plain data always has a JSON form");
        object["error"] = self.to_string().into();
        object
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        json(self.status(), &self.to_json())
    }
}

impl From<NotExpectedError> for ApiError {
    fn from(NotExpectedError { seat, turn }: NotExpectedError) -> ApiError {
        ApiError::NotWaiting { seat: seat.index(), turn }
    }
}

impl From<MapError> for ApiError {
    fn from(error: MapError) -> ApiError {
        ApiError::MapRejected { reason: error.to_string(), causes: from_map(&error) }
    }
}

impl From<InputFileError> for ApiError {
    fn from(error: InputFileError) -> ApiError {
        ApiError::FileUnreadable { reason: error.to_string(), causes: vec![from_file(&error)] }
    }
}

impl From<BotNameError> for ApiError {
    fn from(error: BotNameError) -> ApiError {
        let reason = error.to_string();
        ApiError::BotName { got: error.got, suggested: error.suggested, reason }
    }
}

impl From<ReplayError> for ApiError {
    fn from(error: ReplayError) -> ApiError {
        ApiError::ReplayRejected { reason: error.to_string(), causes: vec![(&error).into()] }
    }
}

impl From<ReplayDifference> for ApiError {
    fn from(difference: ReplayDifference) -> ApiError {
        ApiError::ReplayRejected { reason: difference.to_string(), causes: vec![(&difference).into()] }
    }
}

impl From<GameError> for ApiError {
    fn from(error: GameError) -> ApiError {
        match &error {
            GameError::NotJson(reason) => ApiError::NotJson { reason: reason.to_string(), causes: vec![reason.into()] },
            GameError::UnknownFormat => ApiError::UnknownFormat {},
            GameError::Encoding => ApiError::NotUtf8 {},
            GameError::MatchLog(_) => ApiError::MatchLogRejected { reason: error.to_string(), causes: vec![(&error).into()] },
            _ => ApiError::ReplayRejected { reason: error.to_string(), causes: vec![(&error).into()] },
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::Internal { reason: error.to_string(), causes: Vec::from_iter(from_store(&error)) }
    }
}

/// Returns why a store cannot be read as a problem; `None` for errors that reading cannot have.
fn from_store(error: &StoreError) -> Option<Problem> {
    let about = |code: &str, path: &Path| Problem::new(code).with("file", path.display().to_string());
    Some(match error {
        StoreError::Missing(path) => about("arena-missing", path),
        StoreError::NotADatabase(path) => about("arena-no-database", path),
        StoreError::Foreign(path) => about("arena-foreign", path),
        StoreError::TooNew { path, version, newest } => {
            about("arena-too-new", path).with("expected", *newest).with("got", *version)
        }
        StoreError::Damaged { path, .. } => about("arena-damaged", path),
        StoreError::DiskFull(path) => about("arena-disk-full", path),
        StoreError::NotWritable { path, .. } => about("arena-not-writable", path),
        StoreError::UnmergedLog(path) => about("arena-unmerged-log", path),
        StoreError::Busy(path) => about("arena-busy", path),
        StoreError::Database { path, reason } => {
            about("arena-unreadable", path).with("number", reason.sqlite_error().map(|error| error.extended_code))
        }
        _ => return None,
    })
}

/// Returns the error for a map that cannot be drawn: its size is out of range.
pub(super) fn map_size(error: MapError) -> ApiError {
    match error.reasons() {
        [MapErrorReason::Number { name, range, got }] => {
            ApiError::MapSize { name, min: *range.start(), max: *range.end(), got: got.to_string() }
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use pacman2_botzone::words::{Locale, catalogue};
    use pacman2_runner::SandboxPart;

    use super::*;

    /// Reads a file of the repository.
    fn read(path: &str) -> String {
        fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn codes() -> Vec<&'static str> {
        CODES.iter().map(|(code, ..)| *code).collect()
    }

    #[test]
    fn the_json_has_sentence_code_and_parameters() {
        let error = ApiError::OutOfRange { name: "turns", min: 1, max: 6, got: "7".to_owned() };
        let expected = serde_json::json!({
            "error": "turns must be between 1 and 6, got 7",
            "code": "out-of-range",
            "params": { "name": "turns", "min": 1, "max": 6, "got": "7" },
        });
        assert_eq!(error.to_json(), expected);
        assert_eq!(ApiError::NoArena {}.to_json()["params"], serde_json::json!({}));
    }

    #[test]
    fn errors_of_an_arenas_database_have_codes() {
        let cause = |error: StoreError| ApiError::from(error).to_json()["params"]["causes"][0].clone();
        assert_eq!(
            cause(StoreError::Busy("a/arena.db".into())),
            serde_json::json!({ "code": "arena-busy", "params": { "file": "a/arena.db" } })
        );
        let too_new = cause(StoreError::TooNew { path: "b".into(), version: 9, newest: 4 });
        assert_eq!(too_new, serde_json::json!({ "code": "arena-too-new", "params": { "file": "b", "expected": 4, "got": 9 } }));
        assert_eq!(cause(StoreError::Damaged { path: "c".into(), damage: "row 7 missing".to_owned() })["code"], "arena-damaged");
    }

    #[test]
    fn every_code_is_unique() {
        assert_eq!(codes().iter().collect::<BTreeSet<_>>().len(), CODES.len());
    }

    #[test]
    fn the_page_words_every_code_in_chinese() {
        let module = read("crates/web/viewer/server-errors.js");
        let (_, words) = module.split_once("const chineseErrors = {\n").unwrap();
        let entries: Vec<(&str, &str)> = words
            .lines()
            .take_while(|line| *line != "};")
            .filter(|line| !line.starts_with("    "))
            .map(|line| line.trim().split_once(": ").unwrap())
            .collect();
        assert_eq!(entries.iter().map(|(key, _)| key.trim_matches('"')).collect::<Vec<_>>(), codes());
        for ((key, words), (_, params)) in entries.iter().zip(CODES) {
            let used = words.strip_prefix("({ ").and_then(|rest| rest.split_once(" })")).map_or("", |(used, _)| used);
            for param in used.split(", ").filter(|param| !param.is_empty()) {
                assert!(params.contains(&param), "{key} has no parameter {param}");
            }
        }
    }

    /// Returns the codes of problems in the sources of these files of the repository.
    fn problem_codes(paths: &[&str]) -> BTreeSet<String> {
        let made_by = ["Problem::new(\"", "named(\"", "in_folder(\"", "about(\"", "limited(\""];
        let codes_in = |text: &str| -> Vec<String> {
            let calls = made_by.iter().flat_map(|call| text.split(call).skip(1));
            calls.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
        };
        // What follows in a file are its tests.
        paths.iter().flat_map(|path| codes_in(read(path).split("#[cfg(test)]\nmod tests").next().unwrap())).collect()
    }

    /// Returns the codes for which a module has words, in the block that begins with this line.
    fn worded_codes(module: &str, begin: &str, indent: &str) -> BTreeSet<String> {
        let text = read(&format!("crates/web/viewer/{module}"));
        let (_, block) = text.split_once(begin).unwrap();
        let lines = block.lines().take_while(|line| !line.starts_with('}') && !line.starts_with(')'));
        let keys = lines.filter_map(|line| line.strip_prefix(indent)?.split_once(": "));
        let is_key = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        keys.map(|(key, _)| key.trim_matches('"').to_owned()).filter(|key| is_key(key)).collect()
    }

    #[test]
    fn the_page_words_every_reason_in_chinese() {
        let anywhere = [
            "crates/botzone/src/problem.rs",
            "crates/replay/src/problem.rs",
            "crates/timeline/src/error.rs",
            "crates/analysis/src/queries.rs",
            "crates/match/src/problem.rs",
        ];
        let mut codes = problem_codes(&anywhere);
        // The program around the server, and the server's own.
        for folder in ["crates/bot-source/src", "crates/console/src", "crates/pacman2/src", "crates/web/src/server"] {
            for file in fs::read_dir(format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".rs") {
                    codes.extend(problem_codes(&[&format!("{folder}/{name}")]));
                }
            }
        }
        // The example of the documentation.
        codes.remove("row-count");
        let mut worded = worded_codes("reasons.js", "export const chineseReasons = {\n", "  ");
        worded.extend(worded_codes("server-errors.js", "Object.assign(chineseReasons, ", "  "));
        worded.extend(worded_codes("engine.js", "const linkDamage = words(\n", "    "));
        let shared = catalogue(Locale::Chinese).keys().filter(|code| codes.contains(*code));
        worded.extend(shared.cloned());
        assert!(codes.len() > 80, "only {} codes were found", codes.len());
        assert_eq!(codes, worded);
    }

    #[test]
    fn the_page_words_every_part_of_a_sandbox_in_chinese() {
        use SandboxPart::{ControlGroups, Files, Landlock, Namespaces, Rights, Supervisor, System, SystemCalls};

        // A program that is not started has a sentence of its own.
        let parts = [System, Namespaces, Files, ControlGroups, Rights, Landlock, SystemCalls, Supervisor];
        let names: BTreeSet<String> = serde_json::from_value(serde_json::to_value(parts).unwrap()).unwrap();
        assert_eq!(worded_codes("reasons.js", "const chineseParts = {\n", "  "), names);
    }
}
