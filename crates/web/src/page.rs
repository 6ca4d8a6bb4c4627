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
/// The analysis, which only a server can give: a script of its own, which the page of a server fetches when it is there.
const ANALYSIS: [(&str, &str); 5] =
    files!["analysis-words.js", "analysis-ask.js", "analysis-chart.js", "analysis-hint.js", "analysis.js"];
/// What it has a copy of: modules of the page cannot be imported.
const SHARED: [&str; 6] = ["dom.js", "board-field.js", "language.js", "sentences.js", "players.js", "server.js"];
const ANALYSIS_STYLE: &str = include_str!("../viewer/analysis.css");
const STYLES: [(&str, &str); 7] = files!["base.css", "page.css", "board.css", "home.css", "more.css", "panels.css", "time.css"];
const FRAME: &str = include_str!("../viewer/index.html");
/// Crate `film` as WebAssembly; `cargo xtask viewer` makes it.
const ENGINE: &[u8] = include_bytes!("../viewer/timeline.wasm.gz");

struct Parts {
    style: String,
    script: String,
    engine: String,
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| Parts {
    style: STYLES.map(|(_, text)| tight_style(text)).concat(),
    script: join(&MODULES),
    engine: STANDARD.encode(ENGINE),
});

/// The viewer at home in `home`, an object whose key `home` is `server` or `file`; opened with a film (the text of a replay
/// or a match log, which is JSON) or not.
pub fn html(home: &Value, film: Option<&str>) -> Page {
    // A server's page fetches the script of the analysis.
    let (scripts, connect) = if home["home"] == "server" { ("'self' ", "'self'") } else { ("", "'none'") };
    let more = format!("connect-src {connect}; require-trusted-types-for 'script'; trusted-types 'none'");
    assemble(home, film.unwrap_or("null"), scripts, &more)
}

/// The page that Botzone can use as this game's player page. Botzone may add scripts of its own site to it.
pub fn botzone_player() -> Page {
    assemble(&json!({ "home": "botzone" }), "null", "'self' ", "connect-src 'self'")
}

/// The script of the analysis: a module that exports `mountAnalysis`.
pub fn analysis_script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        let shared = SHARED.map(|name| *MODULES.iter().find(|module| module.0 == name).expect("it is a module of the page"));
        let modules = [shared.as_slice(), &ANALYSIS].concat();
        let style = json!(tight_style(ANALYSIS_STYLE));
        format!("const analysisStyle={style};\n{}\nexport{{mountAnalysis}};\n", join(&modules))
    });
    &SCRIPT
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

/// A style without comments, and without the spaces and line ends beside its punctuation. None of its strings has such a pair.
fn tight_style(text: &str) -> String {
    let pairs = [(" {", "{"), ("{ ", "{"), (": ", ":"), (", ", ","), ("; ", ";"), (";}", "}"), ("} ", "}")];
    let lines = without_comments(text).replace('\n', " ");
    pairs.iter().fold(lines, |tight, (loose, close)| tight.replace(loose, close)).trim_end().to_owned()
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
        let mut listed: HashSet<&str> = MODULES.iter().chain(&STYLES).chain(&ANALYSIS).map(|(name, _)| *name).collect();
        listed.insert("analysis.css");
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
        let check = |modules: &[(&'static str, &'static str)], mut joined: HashSet<&'static str>| {
            for &(name, text) in modules {
                for import in imports(text) {
                    assert!(joined.contains(import), "{name} imports {import}, which comes later");
                }
                joined.insert(name);
            }
        };
        check(&MODULES, HashSet::new());
        check(&ANALYSIS, SHARED.into());
    }

    #[test]
    fn only_the_page_of_a_server_may_fetch_a_script() {
        let of = |home: &str| html(&json!({ "home": home }), None).csp;
        assert!(of("server").contains("script-src 'self' 'sha256-"));
        assert!(of("file").contains("script-src 'sha256-"));
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
    fn a_style_is_tight_and_says_the_same() {
        let style = "/* A box. */\n.a,\n.b > c {\n  color: red;\n  margin: calc(1px + 2px) 0;\n}\n\
            @media (min-width: 1px) { .a { top: 0; } }\n";
        let tight = ".a,.b > c{color:red;margin:calc(1px + 2px) 0}@media (min-width:1px){.a{top:0}}";
        assert_eq!(tight_style(style), tight);
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
        for home in ["file", "server"] {
            let page = html(&json!({ "home": home }), None);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packed, page.html.as_bytes()).unwrap();
            let bytes = packed.finish().unwrap().len();
            assert!(bytes <= 150_000, "the page of a {home} weighs {bytes} bytes, packed");
        }
    }
}
