//! The page of an arena: standings, head-to-head results, games and bots; live on a server, or as a report in one file.
//!
//! Its sources are in `arena/`, by the same conventions as the viewer's, and share some of the viewer's modules.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use pacman2_tournament::standings::Standings;
use pacman2_tournament::{BotVersion, GameResult};
use serde::Serialize;
use serde_json::{Value, json};

use crate::page::{self, Page};

macro_rules! files {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../arena/", $name)))),*] };
}

/// The modules in the order of their imports.
const MODULES: [(&str, &str); 16] = files![
    "../viewer/dom.js",
    "../viewer/language.js",
    "../viewer/reasons.js",
    "../viewer/server-errors.js",
    "format.js",
    "faults.js",
    "source.js",
    "components.js",
    "plots.js",
    "standings.js",
    "head-to-head.js",
    "games.js",
    "bots.js",
    "compare.js",
    "grades.js",
    "main.js",
];
const STYLES: [(&str, &str); 2] = files!["../viewer/base.css", "arena.css"];
const FRAME: &str = include_str!("../arena/index.html");
/// The seed of the bootstrap behind the intervals. It is constant, so that the same games show the same intervals everywhere.
pub const BOOTSTRAP_SEED: u64 = 1;
/// Numbers are rounded to three decimals.
const ROUNDING: f64 = 1000.0;

static STYLE: LazyLock<String> = LazyLock::new(|| STYLES.map(|(_, text)| page::without_comments(text)).concat());
static SCRIPT: LazyLock<String> = LazyLock::new(|| page::join(&MODULES));

/// Returns the page as one HTML text. With `data`, which [`report`] makes, it shows that; without, it asks the server that
/// it came from.
///
/// # Examples
/// ```
/// use pacman2_web::arena;
///
/// assert!(arena::page(None).contains("connect-src 'self'"));
/// let report = serde_json::json!({ "standings": null, "bots": [], "games": "", "grades": null });
/// assert!(arena::page(Some(&report)).contains("connect-src 'none'"), "a report sends no requests");
/// ```
pub fn page(data: Option<&Value>) -> String {
    assemble(data).html
}

/// Returns the page that asks the server, with its Content-Security-Policy.
pub(crate) fn live_page() -> Page {
    assemble(None)
}

/// Returns the data of a report. `game_page` returns the path of a game's page relative to the report, if there is one.
/// `grades` is a list of objects with `name`, `grade`, `points` (an estimate or null), `status` (`ok` or another word),
/// `note_zh` and `note_en`.
pub fn report(
    standings: &Standings,
    bots: &[BotVersion],
    games: &[GameResult],
    game_page: impl Fn(&GameResult) -> Option<String>,
    grades: Option<Value>,
) -> Value {
    json!({
        "standings": public_json(standings),
        "bots": public_json(bots),
        "games": game_lines(games, game_page),
        "grades": grades,
    })
}

/// Returns a value as public JSON: without the bots' commands, which are private, and with rounded numbers.
pub(crate) fn public_json(value: &(impl Serialize + ?Sized)) -> Value {
    let mut value = serde_json::to_value(value).expect("plain data always has a JSON form");
    make_public(&mut value);
    value
}

fn make_public(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(make_public),
        Value::Object(fields) => {
            fields.remove("command");
            fields.values_mut().for_each(make_public);
        }
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|number| (number * ROUNDING).round() / ROUNDING);
            *value = json!(rounded);
        }
        _ => {}
    }
}

/// Writes one line per game. The page can load a hundred thousand of them and parse only those that it shows; see
/// `arena/source.js`.
fn game_lines(games: &[GameResult], game_page: impl Fn(&GameResult) -> Option<String>) -> String {
    let mut lines = String::with_capacity(games.len() * 120);
    for game in games {
        let GameResult { id, seed, width, height, turns, finished, replayed, seats, .. } = game;
        // Writing to a String cannot fail.
        let _ = write!(lines, "{id} {seed} {width} {height} {turns} {finished} {replayed}");
        for (_, seat) in seats.iter() {
            let (kind, turn) = seat.fault.as_ref().map_or(("", 0), |fault| (fault.kind.name(), fault.turn));
            let _ = write!(
                lines,
                " {},{},{},{},{kind},{turn},{}",
                seat.bot.0, seat.hundredths, seat.place, seat.strength, seat.slowest_us
            );
        }
        // The path is last, because it may contain spaces.
        let path = game_page(game).filter(|path| !path.contains('\n')).unwrap_or_default();
        let _ = writeln!(lines, " {path}");
    }
    lines
}

fn assemble(data: Option<&Value>) -> Page {
    let (style, script) = (&*STYLE, &*SCRIPT);
    let connect = if data.is_none() { "'self'" } else { "'none'" };
    let csp = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'; \
         connect-src {connect}; require-trusted-types-for 'script'; trusted-types 'none'",
        page::hash(script),
        page::hash(style),
    );
    let (data, games) = data.map_or(("null".to_owned(), "null".to_owned()), split_games);
    let values = [
        ("{csp}", csp.as_str()),
        ("{style}", style),
        ("{data}", &escape_json(&data)),
        ("{games}", &escape_json(&games)),
        ("{script}", script),
    ];
    Page { html: page::fill(FRAME, &values), csp }
}

/// Splits a report into the rest and the games, which are large and parsed only when they are shown.
fn split_games(data: &Value) -> (String, String) {
    let fields = data.as_object().into_iter().flatten().filter(|(name, _)| *name != "games");
    let rest: BTreeMap<&String, &Value> = fields.collect();
    (json!(rest).to_string(), data["games"].to_string())
}

/// Escapes JSON so that no browser takes it for markup, including the two characters that some readers take for a line end.
fn escape_json(json: &str) -> String {
    page::escape_json(json).replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn imports(text: &str) -> impl Iterator<Item = &str> {
        text.split("from \"./").skip(1).chain(text.split("from \"../").skip(1)).filter_map(|rest| rest.split('"').next())
    }

    fn last(name: &str) -> &str {
        name.rsplit('/').next().unwrap()
    }

    #[test]
    fn the_page_begins_with_the_mark() {
        let html = super::page(None);
        assert!(html.starts_with("<!doctype html>") && html[..1024].contains(page::MARK));
    }

    #[test]
    fn every_arena_file_is_listed() {
        let listed: HashSet<&str> = MODULES.iter().chain(&STYLES).map(|(name, _)| *name).collect();
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("arena")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") || name.ends_with(".css") {
                assert!(listed.contains(name.as_str()), "{name} is not listed");
            }
        }
    }

    #[test]
    fn modules_are_in_the_order_of_their_imports() {
        let mut joined = HashSet::new();
        for (name, text) in MODULES {
            for import in imports(text).map(last) {
                assert!(joined.contains(import), "{name} imports {import}, which comes later");
            }
            joined.insert(last(name));
        }
    }

    /// Returns the keys of each language, block by block. A block of texts is `words(`, an object for each language, and
    /// `);`, with its keys indented by four spaces.
    fn words(text: &str) -> Vec<[Vec<&str>; 2]> {
        let is_name = |line: &&str| line.starts_with("    ") && !line[4..].starts_with(' ');
        text.split("= words(\n")
            .skip(1)
            .map(|rest| {
                let block = rest.split("\n);").next().unwrap();
                let (english, chinese) = block.split_once("\n  },\n  {").expect("a block of texts has two languages");
                [english, chinese]
                    .map(|half| half.lines().filter(is_name).filter_map(|line| line.trim().split(':').next()).collect())
            })
            .collect()
    }

    #[test]
    fn every_text_exists_in_both_languages() {
        let mut count = 0;
        for (name, text) in &MODULES[2..] {
            let blocks = words(text);
            assert_eq!(blocks.len(), text.matches("words(").count(), "{name} has texts in another form");
            for [english, chinese] in blocks {
                assert_eq!(english, chinese, "{name}");
                count += english.len();
            }
        }
        assert!(count > 100, "only {count} texts were found");
    }

    #[test]
    fn no_name_becomes_markup() {
        let name = "</script><img src=x onerror=alert(1)>\u{2028}<!--";
        let html = page(Some(&json!({ "bots": [{ "name": name }] })));
        assert!(!html.contains("<img") && !html.contains('\u{2028}'), "the name is not escaped");
        let embedded = html.split("id=\"arena-data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let value: Value = serde_json::from_str(embedded).unwrap();
        assert_eq!(value["bots"][0]["name"], name);
    }

    #[test]
    fn public_json_has_no_commands_and_rounds_numbers() {
        let bot = json!({ "command": "/home/owner/bot.py", "name": "a", "rating": 1500.123456, "games": 12 });
        assert_eq!(public_json(&bot), json!({ "name": "a", "rating": 1500.123, "games": 12 }));
    }

    #[test]
    fn a_page_without_data_is_small() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, page(None).as_bytes()).unwrap();
        let bytes = packed.finish().unwrap().len();
        assert!(bytes <= 60_000, "the page has {bytes} bytes, gzipped");
    }
}
