//! The page, put together: one text that holds everything, whichever home it is for.
//!
//! The page's modules lie in `viewer/` as they are written. Here they are joined in the order in which they need each other,
//! without their `import`s, `export`s and comments, so that a page is whole in itself and may be opened from a disk.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A page, whole in itself, and what it may do.
pub struct Page {
    /// Its text.
    pub html: String,
    /// Its Content-Security-Policy.
    pub csp: String,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../viewer/", $name)))),*] };
}

/// Each module after those that it imports.
const MODULES: [(&str, &str); 32] = files![
    "dom.js",
    "board-field.js",
    "board-paint.js",
    "board-bubbles.js",
    "board-scene.js",
    "board-zoom.js",
    "language.js",
    "overlays.js",
    "cell.js",
    "motion.js",
    "viewer.js",
    "board.js",
    "open.js",
    "botzone.js",
    "sentences.js",
    "players.js",
    "transport.js",
    "chart.js",
    "texts.js",
    "details.js",
    "engine.js",
    "happened.js",
    "server.js",
    "live.js",
    "match-form.js",
    "home.js",
    "keys.js",
    "seat.js",
    "share.js",
    "table.js",
    "whatif.js",
    "main.js",
];
const STYLES: [(&str, &str); 7] = files!["base.css", "page.css", "board.css", "home.css", "more.css", "panels.css", "time.css"];
const FRAME: &str = include_str!("../viewer/index.html");
/// Crate `film` as WebAssembly; `cargo xtask viewer` makes it.
const ENGINE: &[u8] = include_bytes!("../viewer/film.wasm.gz");

struct Parts {
    style: String,
    script: String,
    engine: String,
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| Parts {
    style: STYLES.map(|(_, text)| without_comments(text)).concat(),
    script: join(&MODULES),
    engine: STANDARD.encode(ENGINE),
});

/// The viewer at home in `home`, an object whose key `home` is `server` or `file`; opened with a film (the text of a replay
/// or a match log, which is JSON) or not.
pub fn html(home: &Value, film: Option<&str>) -> Page {
    let connect = if home["home"] == "server" { "'self'" } else { "'none'" };
    let more = format!("connect-src {connect}; require-trusted-types-for 'script'; trusted-types 'none'");
    assemble(home, film.unwrap_or("null"), "", &more)
}

/// The page that Botzone can use as this game's player page. Botzone may add scripts of its own site to it.
pub fn botzone_player() -> Page {
    assemble(&json!({ "home": "botzone" }), "null", "'self' ", "connect-src 'self'")
}

fn assemble(home: &Value, film: &str, scripts: &str, more: &str) -> Page {
    let Parts { style, script, engine } = &*PARTS;
    let csp = format!(
        "default-src 'none'; script-src {scripts}'{}' 'wasm-unsafe-eval'; style-src '{}'; img-src data: blob:; base-uri 'none'; \
         form-action 'none'; {more}",
        hash(script),
        hash(style),
    );
    let values = [
        ("{csp}", csp.as_str()),
        ("{style}", style),
        ("{home}", &data(&home.to_string())),
        ("{film}", &data(film)),
        ("{engine}", engine),
        ("{script}", script),
    ];
    Page { html: fill(FRAME, &values), csp }
}

/// JSON that no browser takes for markup: `<` stands only within its strings.
pub(crate) fn data(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Puts each value in its place; what a value says is not looked at again.
pub(crate) fn fill(frame: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = frame;
    for (name, value) in values {
        let (before, after) = rest.split_once(name).expect("the frame has each place once, in this order");
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text + rest
}

pub(crate) fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// One script of all modules. Their top-level names are theirs alone, and an import or export stands at the beginning of a
/// line: `viewer/README.md` has the conventions, and a test of the page would not pass without them.
pub(crate) fn join(modules: &[(&str, &str)]) -> String {
    let mut script = String::new();
    for (_, text) in modules {
        let text = without_comments(text);
        let mut importing = false;
        for line in text.lines() {
            importing |= line.starts_with("import ");
            if importing {
                importing = !line.ends_with(';');
                continue;
            }
            script.push_str(&tightened(line.strip_prefix("export ").unwrap_or(line)));
            if !script.ends_with(['{', '(', '[', ',', ';']) {
                script.push('\n');
            }
        }
    }
    script
}

/// A line of a module without the spaces beside its punctuation; no line ends within a template. Lines that may hold a template or a regular expression stay as
/// they are.
fn tightened(line: &str) -> String {
    if line.contains(['`', '/']) {
        return line.to_owned();
    }
    let is_mark = |c: char| "=&|?:,;{}()[]<>*!".contains(c);
    let mut tight = String::with_capacity(line.len());
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if quoted => {
                tight.push(char);
                tight.extend(chars.next());
                continue;
            }
            '"' => quoted = !quoted,
            ' ' if !quoted && (tight.ends_with(is_mark) || chars.peek().is_some_and(|&next| is_mark(next))) => continue,
            _ => {}
        }
        tight.push(char);
    }
    tight
}

/// The text without its comments, indentation and blank lines. Comments are looked for where they are written here: on lines
/// of their own, and as types in the middle of one.
pub(crate) fn without_comments(text: &str) -> String {
    let mut left = String::new();
    let mut commented = false;
    for line in text.lines() {
        let mut line = line.trim().to_owned();
        if commented {
            let Some((_, after)) = line.split_once("*/") else { continue };
            line = after.trim().to_owned();
            commented = false;
        }
        while let Some(start) =
            line.find("/** ").or_else(|| line.find("/* ")).or_else(|| line.ends_with("/**").then(|| line.len() - 3))
        {
            match line[start..].find("*/") {
                Some(length) => line.replace_range(start..start + length + 2, ""),
                None => {
                    line.truncate(start);
                    commented = true;
                }
            }
        }
        let line = line.trim();
        if !line.is_empty() && !line.starts_with("//") {
            left.push_str(line);
            left.push('\n');
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn imports(text: &str) -> impl Iterator<Item = &str> {
        text.split("from \"./").skip(1).filter_map(|rest| rest.split('"').next())
    }

    #[test]
    fn every_file_of_the_viewer_is_part_of_the_page() {
        let listed: HashSet<&str> = MODULES.iter().chain(&STYLES).map(|(name, _)| *name).collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
        for entry in fs::read_dir(folder).unwrap() {
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
            for import in imports(text) {
                assert!(joined.contains(import), "{name} imports {import}, which comes later");
            }
            joined.insert(name);
        }
    }

    #[test]
    fn a_joined_script_has_neither_imports_nor_exports_nor_comments() {
        let modules = [
            ("a.js", "// Says a.\n\n/** @type {number} */\nexport const a = 1;\n"),
            (
                "b.js",
                "import {\n  a,\n} from \"./a.js\";\n\n/**\n * Adds.\n */\nexport function b() {\n  return a + /** @type {any} */ (2); \n}\n",
            ),
        ];
        assert_eq!(join(&modules), "const a=1;function b(){return a + (2);}\n");
    }

    #[test]
    fn nothing_in_a_film_is_markup() {
        let page = html(&json!({ "home": "file" }), Some(r#"{"name": "</script><script>alert(1)</script><!--"}"#));
        assert!(!page.html.contains("alert(1)</script>"));
        let told = page.html.split("id=\"film-data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let value: Value = serde_json::from_str(told).unwrap();
        assert_eq!(value["name"], "</script><script>alert(1)</script><!--");
    }

    #[test]
    fn a_page_is_light() {
        let page = html(&json!({ "home": "file" }), None);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, page.html.as_bytes()).unwrap();
        let bytes = packed.finish().unwrap().len();
        assert!(bytes <= 150_000, "the page weighs {bytes} bytes, packed");
    }
}
