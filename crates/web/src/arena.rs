//! The page of an arena: standings, head-to-head results, games and bots; live on a server, or as a report in one file.
//!
//! Its sources are in `arena/`, and share some of the viewer's modules.

use std::collections::BTreeMap;
use std::fmt::Write;

use pacman2_tournament::standings::Standings;
use pacman2_tournament::{BotVersion, GameResult};
use serde::Serialize;
use serde_json::{Value, json};

use crate::page::{self, Host, Page};

const FRAME: &str = include_str!("../arena/index.html");
/// The seed of the bootstrap behind the intervals. It is constant, so that the same games show the same intervals everywhere.
pub const BOOTSTRAP_SEED: u64 = 1;
/// Numbers are rounded to three decimals.
const ROUNDING: f64 = 1000.0;

const STYLE: &str = include_str!("../bundle/arena.css").trim_ascii_end();
const SCRIPT: &str = include_str!("../bundle/arena.js").trim_ascii_end();

/// Returns the page as one HTML text that shows `data`, which [`report`] makes. It contains the viewer for its games, with the engine
/// of the `strong_bots`.
///
/// # Examples
/// ```
/// use pacman2_web::arena;
///
/// let report = serde_json::json!({ "standings": null, "bots": [], "games": "", "class": null });
/// assert!(arena::report_page(&report, &["sage"]).contains("connect-src 'none'"), "a report sends no requests");
/// ```
pub fn report_page(data: &Value, strong_bots: &[&'static str]) -> String {
    assemble("report", Some((data, Host::Report { bots: strong_bots }))).html
}

/// Returns the page that asks the server that it came from.
pub(crate) fn live_page() -> Page {
    assemble("server", None)
}

/// Returns the page that asks the server of a contest.
pub(crate) fn contest_page() -> Page {
    assemble("contest", None)
}

/// Returns the data of a report. `link` returns a game as a link has it after `#g=`, if it can be watched. `class` is what is
/// shown of a class, as `arena/types.d.ts` has it.
pub fn report(
    standings: &Standings,
    bots: &[BotVersion],
    games: &[GameResult],
    link: impl Fn(&GameResult) -> Option<String>,
    class: Option<Value>,
) -> Value {
    json!({
        "standings": public_json(standings),
        "bots": public_json(bots),
        "games": game_lines(games, link),
        "class": class,
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
fn game_lines(games: &[GameResult], link: impl Fn(&GameResult) -> Option<String>) -> String {
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
        let _ = writeln!(lines, " {}", link(game).unwrap_or_default());
    }
    lines
}

/// Puts the page together, for a server or with data and a viewer.
fn assemble(host: &str, report: Option<(&Value, Host<'_>)>) -> Page {
    let (script, style) = (page::hash(SCRIPT), page::hash(STYLE));
    let (sources, [data, games, viewer]) = if let Some((data, viewer)) = report {
        // A frame within the page obeys the page's policy, too.
        let [of_script, of_style] = page::hashes(viewer);
        let sources = format!(
            "script-src '{script}' '{of_script}' 'wasm-unsafe-eval'; style-src '{style}' '{of_style}'; img-src data: blob:; \
             frame-src blob:; {}",
            page::REPORT_POLICY
        );
        let (data, games) = split_games(data);
        (sources, [data, games, json!(page::html(viewer, None).html).to_string()])
    } else {
        let sources = format!(
            "script-src '{script}'; style-src '{style}'; img-src data:; connect-src 'self'; require-trusted-types-for 'script'; \
             trusted-types 'none'"
        );
        (sources, ["null", "null", "null"].map(str::to_owned))
    };
    let csp = format!("default-src 'none'; {sources}; base-uri 'none'; form-action 'none'");
    let values = [
        ("{csp}", csp.as_str()),
        ("{style}", STYLE),
        ("{host}", host),
        ("{data}", &escape_json(&data)),
        ("{games}", &escape_json(&games)),
        ("{viewer}", &escape_json(&viewer)),
        ("{script}", SCRIPT),
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
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_of_a_server_asks_it_and_begins_with_the_mark() {
        let Page { html, csp } = live_page();
        assert!(csp.contains("connect-src 'self'") && html.contains(&csp));
        assert!(html.starts_with("<!doctype html>") && html[..1024].contains(page::MARK));
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
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let arena = ["arena", "contest"].into_iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
        let arena = arena.map(|entry| entry.unwrap().path());
        let shared = ["choices.js", "reasons.js", "server-errors.js"].map(|name| root.join("viewer").join(name));
        let mut count = 0;
        for path in arena.chain(shared).filter(|path| path.extension().is_some_and(|extension| extension == "js")) {
            let (name, text) = (path.display(), fs::read_to_string(&path).unwrap());
            let blocks = words(&text);
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
        let html = report_page(&json!({ "bots": [{ "name": name }] }), &[]);
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
        std::io::Write::write_all(&mut packed, live_page().html.as_bytes()).unwrap();
        let bytes = packed.finish().unwrap().len();
        assert!(bytes <= 60_000, "the page has {bytes} bytes, gzipped");
    }
}
