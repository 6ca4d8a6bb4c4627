//! The page of an arena: its table, meetings, games and bots, live or as a report that is whole in itself.
//!
//! It is written as the viewer is, in `arena/`, and takes from the viewer what both need.

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

/// Each module after those that it imports.
const MODULES: [(&str, &str); 14] = files![
    "../viewer/dom.js",
    "../viewer/language.js",
    "numbers.js",
    "faults.js",
    "source.js",
    "parts.js",
    "plots.js",
    "standings.js",
    "meetings.js",
    "games.js",
    "bots.js",
    "compare.js",
    "grades.js",
    "main.js",
];
const STYLES: [(&str, &str); 2] = files!["../viewer/base.css", "arena.css"];
const FRAME: &str = include_str!("../arena/index.html");
/// What the chance of the table's bootstrap comes from: the same games show the same intervals everywhere.
pub const BOOTSTRAP_SEED: u64 = 1;
/// Decimals that numbers keep on their way to the page, as a power of ten.
const DECIMALS: f64 = 1000.0;

static STYLE: LazyLock<String> = LazyLock::new(|| STYLES.map(|(_, text)| page::without_comments(text)).concat());
static SCRIPT: LazyLock<String> = LazyLock::new(|| page::join(&MODULES));

/// The page as one text. With `data`, which [`report`] makes, it needs nothing else and shows that; without, it asks the
/// server from which it came.
pub fn page(data: Option<&Value>) -> String {
    assemble(data).html
}

/// The page that asks the server, with its policy.
pub(crate) fn live() -> Page {
    assemble(None)
}

/// What a report shows. `file` names the page of a game, if there is one, by its way from the report; `grades` is a list of
/// objects with `name`, `grade`, `points` (as an estimate, or null), `status` (`ok` or another word), `note_zh` and `note_en`.
pub fn report(
    standings: &Standings,
    bots: &[BotVersion],
    games: &[GameResult],
    file: impl Fn(&GameResult) -> Option<String>,
    grades: Option<Value>,
) -> Value {
    json!({
        "standings": plain(standings),
        "bots": plain(bots),
        "games": lines(games, file),
        "grades": grades,
    })
}

/// As JSON for everybody: how a bot is started stays with its owner, and numbers are as long as somebody reads them.
pub(crate) fn plain(value: &(impl Serialize + ?Sized)) -> Value {
    let mut value = serde_json::to_value(value).expect("plain data always has a JSON form");
    tidy(&mut value);
    value
}

fn tidy(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(tidy),
        Value::Object(fields) => {
            fields.remove("command");
            fields.values_mut().for_each(tidy);
        }
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().map(|number| (number * DECIMALS).round() / DECIMALS);
            *value = json!(rounded);
        }
        _ => {}
    }
}

/// A line for each game: a hundred thousand of them are read at once, and only those are looked at that are shown.
/// `arena/source.js` reads them.
fn lines(games: &[GameResult], file: impl Fn(&GameResult) -> Option<String>) -> String {
    let mut lines = String::with_capacity(games.len() * 120);
    for game in games {
        let GameResult { id, seed, width, height, turns, finished, replayed, seats, .. } = game;
        // Writing to a text does not fail.
        let _ = write!(lines, "{id} {seed} {width} {height} {turns} {finished} {replayed}");
        for (_, seat) in seats.iter() {
            let (kind, turn) = seat.fault.as_ref().map_or(("", 0), |fault| (fault.kind.as_str(), fault.turn));
            let _ = write!(
                lines,
                " {},{},{},{},{kind},{turn},{}",
                seat.bot.0, seat.hundredths, seat.place, seat.strength, seat.slowest_us
            );
        }
        // The rest of the line, for it may hold anything but a new line.
        let file = file(game).filter(|file| !file.contains('\n')).unwrap_or_default();
        let _ = writeln!(lines, " {file}");
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
    let (data, games) = data.map_or(("null".to_owned(), "null".to_owned()), apart);
    let values = [
        ("{csp}", csp.as_str()),
        ("{style}", style),
        ("{data}", &embedded(&data)),
        ("{games}", &embedded(&games)),
        ("{script}", script),
    ];
    Page { html: page::fill(FRAME, &values), csp }
}

/// The games by themselves: there are many of them, and the page reads them only when somebody wants to see some.
fn apart(data: &Value) -> (String, String) {
    let fields = data.as_object().into_iter().flatten().filter(|(name, _)| *name != "games");
    let rest: BTreeMap<&String, &Value> = fields.collect();
    (json!(rest).to_string(), data["games"].to_string())
}

/// JSON that no browser takes for markup, and without the two characters that end a line for some readers only.
fn embedded(json: &str) -> String {
    page::data(json).replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
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
    fn every_file_of_the_arena_is_part_of_the_page() {
        let listed: HashSet<&str> = MODULES.iter().chain(&STYLES).map(|(name, _)| *name).collect();
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("arena")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") || name.ends_with(".css") {
                assert!(listed.contains(name.as_str()), "{name} is not part of the page");
            }
        }
    }

    #[test]
    fn a_module_comes_after_those_that_it_imports() {
        let mut joined = HashSet::new();
        for (name, text) in MODULES {
            for import in imports(text).map(last) {
                assert!(joined.contains(import), "{name} imports {import}, which comes later");
            }
            joined.insert(last(name));
        }
    }

    /// The names of the words in each language, block by block: a block of words is `words(`, an object in each language,
    /// and `);`, and its names stand four spaces from the edge.
    fn words(text: &str) -> Vec<[Vec<&str>; 2]> {
        let is_name = |line: &&str| line.starts_with("    ") && !line[4..].starts_with(' ');
        text.split("= words(\n")
            .skip(1)
            .map(|rest| {
                let block = rest.split("\n);").next().unwrap();
                let (english, chinese) = block.split_once("\n  },\n  {").expect("a block of words has two languages");
                [english, chinese]
                    .map(|half| half.lines().filter(is_name).filter_map(|line| line.trim().split(':').next()).collect())
            })
            .collect()
    }

    #[test]
    fn all_that_the_page_says_it_says_in_both_languages() {
        let mut said = 0;
        for (name, text) in &MODULES[2..] {
            let blocks = words(text);
            assert_eq!(blocks.len(), text.matches("words(").count(), "{name} has words in another form");
            for [english, chinese] in blocks {
                assert_eq!(english, chinese, "{name}");
                said += english.len();
            }
        }
        assert!(said > 100, "{said} texts were found");
    }

    #[test]
    fn no_name_becomes_markup() {
        let name = "</script><img src=x onerror=alert(1)>\u{2028}<!--";
        let html = page(Some(&json!({ "bots": [{ "name": name }] })));
        assert!(!html.contains("<img") && !html.contains('\u{2028}'), "the name stands there as it is");
        let told = html.split("id=\"arena-data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let value: Value = serde_json::from_str(told).unwrap();
        assert_eq!(value["bots"][0]["name"], name);
    }

    #[test]
    fn how_a_bot_is_started_is_not_told_and_numbers_are_short() {
        let bot = json!({ "command": "/home/somebody/bot.py", "name": "a", "rating": 1500.123456, "games": 12 });
        assert_eq!(plain(&bot), json!({ "name": "a", "rating": 1500.123, "games": 12 }));
    }

    #[test]
    fn a_page_without_data_is_light() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, page(None).as_bytes()).unwrap();
        let bytes = packed.finish().unwrap().len();
        assert!(bytes <= 60_000, "the page weighs {bytes} bytes, packed");
    }
}
