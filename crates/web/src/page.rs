//! Puts the viewer together: one HTML text that holds everything it needs.
//!
//! The sources are the modules in `viewer/`. Here they are joined in the order of their dependencies, without `import`s,
//! `export`s and comments, so that a page is self-contained and opens from a disk.

use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The element that every page of this program has near its beginning.
pub const MARK: &str = r#"<meta name="generator" content="pacman2">"#;

/// A self-contained page.
pub struct Page {
    /// The HTML text.
    pub html: String,
    /// The page's Content-Security-Policy, which the text contains as well.
    pub csp: String,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../viewer/", $name)))),*] };
}

/// The modules of every page, in the order of their imports.
const MODULES: [(&str, &str); 39] = files![
    "dom.js",
    "board-geometry.js",
    "board-paint.js",
    "board-bubbles.js",
    "board-layer.js",
    "board-scene.js",
    "board-zoom.js",
    "language.js",
    "overlays.js",
    "sentences.js",
    "cell.js",
    "motion.js",
    "open.js",
    "branches.js",
    "viewer.js",
    "address.js",
    "board.js",
    "players.js",
    "result.js",
    "theatre.js",
    "transport.js",
    "chart.js",
    "text-dialog.js",
    "details.js",
    "rerun.js",
    "engine.js",
    "turn-summary.js",
    "link.js",
    "small-board.js",
    "legend.js",
    "action-pad.js",
    "keys.js",
    "clip.js",
    "page-file.js",
    "share.js",
    "position-table.js",
    "localized.js",
    "whatif.js",
    "main.js",
];
/// What follows in the page of a file or of Botzone.
const LOCAL: [(&str, &str); 3] = files!["botzone.js", "reasons.js", "start.js"];
/// Requests to a server, also those of the analysis.
const REQUESTS: [(&str, &str); 1] = files!["server.js"];
/// The parts of a start page, on a server and in a static page.
const FRONT: [(&str, &str); 4] = files!["demo.js", "front-page.js", "lazy-picture.js", "match-dialog.js"];
/// What follows in the page of a server.
const SERVER: [(&str, &str); 5] = files!["live.js", "match-form.js", "home.js", "server-bots.js", "server-start.js"];
/// What follows in a static page, after the analysis.
const SITE: [(&str, &str); 7] =
    files!["script-url.js", "engine-worker.js", "daily.js", "site-home.js", "offline.js", "reasons.js", "site-start.js"];
/// The scripts beside a static page.
const WORKER: [(&str, &str); 1] = files!["worker.js"];
const SERVICE_WORKER: [(&str, &str); 1] = files!["sw.js"];
/// The modules of the analysis. It needs a strong engine, so it is part of a static page, and a separate script that a
/// server's page fetches.
const ANALYSIS: [(&str, &str); 6] =
    files!["analysis-words.js", "analysis-ask.js", "analysis-chart.js", "analysis-hint.js", "review.js", "analysis.js"];
/// The page's modules that the analysis gets a copy of, because it cannot import them from the joined script.
const SHARED: [&str; 6] = ["dom.js", "board-geometry.js", "language.js", "sentences.js", "players.js", "server.js"];
/// The words for errors, which only the page of a server needs.
const ERRORS: [(&str, &str); 2] = files!["reasons.js", "server-errors.js"];
const ANALYSIS_STYLE: &str = include_str!("../viewer/analysis.css");
const FRONT_STYLE: &str = include_str!("../viewer/home.css");
const SITE_STYLE: &str = include_str!("../viewer/site.css");
const STYLES: [(&str, &str); 7] =
    files!["base.css", "page.css", "board.css", "legend.css", "controls.css", "panels.css", "time.css"];
const FRAME: &str = include_str!("../viewer/index.html");
/// Crate `pacman2-timeline` as WebAssembly, made by `cargo xtask viewer`.
const ENGINE: &[u8] = include_bytes!("../viewer/timeline.wasm.gz");

struct Parts {
    style: String,
    script: String,
    engine: String,
}

static PARTS: LazyLock<Parts> = LazyLock::new(|| Parts {
    style: STYLES.map(|(_, text)| minified_style(text)).concat(),
    script: join(&[MODULES.as_slice(), &LOCAL].concat()),
    engine: STANDARD.encode(ENGINE),
});

static SERVER_PARTS: LazyLock<Parts> = LazyLock::new(|| Parts {
    style: format!("{}{}", PARTS.style, minified_style(FRONT_STYLE)),
    script: join(&[MODULES.as_slice(), &REQUESTS, &FRONT, &SERVER].concat()),
    engine: PARTS.engine.clone(),
});

static SITE_PARTS: LazyLock<Parts> = LazyLock::new(|| {
    let script = join(&[MODULES.as_slice(), &REQUESTS, &ANALYSIS, &FRONT, &SITE].concat());
    Parts {
        style: format!("{}{}", SERVER_PARTS.style, minified_style(SITE_STYLE)),
        script: format!("{}\n{script}", analysis_style()),
        engine: PARTS.engine.clone(),
    }
});

/// Where a page runs. It decides what the page offers, and what its Content-Security-Policy allows.
#[derive(Clone, Copy, Debug)]
pub enum Host<'a> {
    /// A server: the page lists matches and replays, starts matches, and analyses.
    Server {
        /// The folder of the replays, for display.
        folder: &'a Path,
        /// The built-in bots that a match can be started with.
        bots: &'a [&'static str],
        /// Whether the server shows an arena.
        arena: bool,
    },
    /// A file, which can send no requests.
    File,
    /// Botzone, as this game's player page. Botzone may add scripts of its own site.
    Botzone,
    /// A folder of static files with a strong engine in a worker; `cargo xtask site` makes it.
    Site {
        /// The bots that play with the strong engine.
        bots: &'a [&'static str],
        /// The games worth seeing, as `viewer/gallery.json` has them.
        gallery: &'a Value,
        /// Whether the documentation is in the folder `docs` beside the page.
        docs: bool,
    },
}

impl Host<'_> {
    /// Returns the object that the page's script reads.
    fn to_json(self) -> Value {
        match self {
            Host::Server { folder, bots, arena } => {
                json!({ "host": "server", "folder": folder.display().to_string(), "bots": bots, "arena": arena })
            }
            Host::File => json!({ "host": "file", "version": env!("CARGO_PKG_VERSION") }),
            Host::Botzone => json!({ "host": "botzone" }),
            Host::Site { bots, gallery, docs } => {
                json!({ "host": "site", "version": env!("CARGO_PKG_VERSION"), "bots": bots, "gallery": gallery, "docs": docs })
            }
        }
    }
}

/// Returns the viewer for a host, with a match in it or without. `replay` is the text of a replay or of a match log from
/// Botzone; it must be JSON.
///
/// # Examples
/// ```
/// use pacman2_web::page::{self, Host};
///
/// let page = page::html(Host::File, Some(r#"{ "format": "pacman2 replay" }"#));
/// assert!(page.html.starts_with("<!doctype html>"));
/// assert!(page.csp.contains("connect-src 'none'"), "a file sends no requests");
/// ```
pub fn html(host: Host<'_>, replay: Option<&str>) -> Page {
    let Parts { style, script, engine } = match host {
        Host::Server { .. } => &*SERVER_PARTS,
        Host::File | Host::Botzone => &*PARTS,
        Host::Site { .. } => &*SITE_PARTS,
    };
    let (scripts, rest) = match host {
        // The script of the analysis comes from the server.
        Host::Server { .. } => ("'self' ", "connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"),
        Host::File => ("", "connect-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"),
        Host::Botzone => ("'self' ", "connect-src 'self'"),
        // The worker and the service worker are scripts beside the page.
        Host::Site { .. } => {
            ("'self' ", "connect-src 'self'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types pacman2")
        }
    };
    let csp = format!(
        "default-src 'none'; script-src {scripts}'{}' 'wasm-unsafe-eval'; style-src '{}'; img-src data: blob:; base-uri 'none'; \
         form-action 'none'; {rest}",
        hash(script),
        hash(style),
    );
    let values = [
        ("{csp}", csp.as_str()),
        ("{style}", style),
        ("{host}", &escape_json(&host.to_json().to_string())),
        ("{replay}", &escape_json(replay.unwrap_or("null"))),
        ("{engine}", engine),
        ("{script}", script),
    ];
    Page { html: fill(FRAME, &values), csp }
}

/// Returns the script of the analysis: a module that exports `mountAnalysis`.
///
/// # Examples
/// ```
/// assert!(pacman2_web::page::analysis_script().contains("export{mountAnalysis}"));
/// ```
pub fn analysis_script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        let shared = SHARED
            .map(|name| *MODULES.iter().chain(&REQUESTS).find(|module| module.0 == name).expect("it is a module of the page"));
        let modules = [shared.as_slice(), &ANALYSIS].concat();
        format!("{}\n{}\nexport{{mountAnalysis}};\n", analysis_style(), join(&modules))
    });
    &SCRIPT
}

/// Returns the script with the words for a server's errors and for other reasons: a module that exports `wordError` and
/// `chineseReason`.
///
/// # Examples
/// ```
/// assert!(pacman2_web::page::errors_script().contains("export{wordError,chineseReason}"));
/// ```
pub fn errors_script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| format!("{}\nexport{{wordError,chineseReason}};\n", join(&ERRORS)));
    &SCRIPT
}

fn analysis_style() -> String {
    format!("const analysisStyle={};", json!(minified_style(ANALYSIS_STYLE)))
}

/// Returns the script of a static page's worker, `worker.js`.
#[must_use]
pub fn worker_script() -> String {
    join(&WORKER)
}

/// Returns the script of a static page's service worker, `sw.js`. `first` are the files that the page starts with, and
/// `later` those that it may need, each with its content.
///
/// # Examples
/// ```
/// let script = pacman2_web::page::service_worker_script(&[("index.html", b"<!doctype html>")], &[]);
/// assert!(script.contains(r#"{"index.html":"sha256-"#));
/// ```
#[must_use]
pub fn service_worker_script(first: &[(&str, &[u8])], later: &[(&str, &[u8])]) -> String {
    let digests = |files: &[(&str, &[u8])]| {
        let digests = files.iter().map(|(path, bytes)| ((*path).to_owned(), hash(bytes).into()));
        Value::Object(digests.collect()).to_string()
    };
    let (first, later) = (digests(first), digests(later));
    let version = format!("{:?}", &hash(format!("{first}{later}")));
    let script = join(&SERVICE_WORKER);
    fill(&script, &[("\"{version}\"", &version), ("\"{first}\"", &first), ("\"{later}\"", &later)])
}

/// Escapes JSON so that no browser takes any of it for markup. `<` occurs only in its strings.
pub(crate) fn escape_json(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Replaces each placeholder by its value. Placeholders within values are not replaced.
pub(crate) fn fill(frame: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = frame;
    for (name, value) in values {
        let (before, after) = rest.split_once(name).expect("the frame has each placeholder once, in this order");
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text + rest
}

pub(crate) fn hash(content: impl AsRef<[u8]>) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}

/// Joins modules into one script. This needs the conventions in `viewer/README.md`: top-level names are unique, and each
/// `import` and `export` begins a line.
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
            // These continue or end what came before, so a line end is no end of a statement here.
            if line.starts_with(['}', ')', ']', '.', '?', ':', '&', '|']) && script.ends_with('\n') {
                script.pop();
            }
            // Our modules have no empty statements.
            if line.starts_with('}') && script.ends_with(';') {
                script.pop();
            }
            script.push_str(&minified_line(line.strip_prefix("export ").unwrap_or(line)));
            if !script.ends_with(['{', '(', '[', ',', ';']) {
                script.push('\n');
            }
        }
    }
    script
}

/// Removes the spaces beside punctuation from a line of a module, outside strings and templates. Lines that may contain a
/// regular expression or nested templates stay as they are. A template never spans lines.
fn minified_line(line: &str) -> String {
    if line.contains('/') || line.matches('`').count() > 2 {
        return line.to_owned();
    }
    let is_punctuation = |c: char| "=&|?:,;{}()[]<>*!".contains(c);
    let mut minified = String::with_capacity(line.len());
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if quote.is_some() => {
                minified.push(char);
                minified.extend(chars.next());
                continue;
            }
            '"' | '`' if quote.is_none() => quote = Some(char),
            _ if quote == Some(char) => quote = None,
            ' ' if quote.is_none()
                && (minified.ends_with(is_punctuation) || chars.peek().is_some_and(|&next| is_punctuation(next))) =>
            {
                continue;
            }
            _ => {}
        }
        minified.push(char);
    }
    minified
}

/// Removes comments, line ends and the spaces beside punctuation from a style sheet. No string in our style sheets contains
/// such a space.
fn minified_style(text: &str) -> String {
    let pairs = [(" {", "{"), ("{ ", "{"), (": ", ":"), (", ", ","), ("; ", ";"), (";}", "}"), ("} ", "}")];
    let lines = without_comments(text).replace('\n', " ");
    pairs.iter().fold(lines, |text, (loose, tight)| text.replace(loose, tight)).trim_end().to_owned()
}

/// Removes comments, indentation and blank lines. By our conventions, a comment has its own lines, or is a type within a line.
pub(crate) fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut in_comment = false;
    for line in text.lines() {
        let mut line = line.trim().to_owned();
        if in_comment {
            let Some((_, after)) = line.split_once("*/") else { continue };
            line = after.trim().to_owned();
            in_comment = false;
        }
        while let Some(start) =
            line.find("/** ").or_else(|| line.find("/* ")).or_else(|| line.ends_with("/**").then(|| line.len() - 3))
        {
            match line[start..].find("*/") {
                Some(length) => line.replace_range(start..start + length + 2, ""),
                None => {
                    line.truncate(start);
                    in_comment = true;
                }
            }
        }
        let line = line.trim();
        if !line.is_empty() && !line.starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;

    use super::*;

    fn server() -> Host<'static> {
        Host::Server { folder: Path::new("replays"), bots: &["greedy"], arena: false }
    }

    fn site() -> Host<'static> {
        Host::Site { bots: &[], gallery: &Value::Null, docs: true }
    }

    fn imports(text: &str) -> impl Iterator<Item = &str> {
        text.split("from \"./").skip(1).filter_map(|rest| rest.split('"').next())
    }

    #[test]
    fn every_page_begins_with_the_mark() {
        for page in [html(Host::File, None), html(Host::Botzone, None), html(server(), None), html(site(), None)] {
            assert!(page.html.starts_with("<!doctype html>") && page.html[..1024].contains(MARK));
        }
    }

    #[test]
    fn every_viewer_file_is_listed() {
        let scripts =
            [&MODULES[..], &LOCAL, &REQUESTS, &FRONT, &SERVER, &ERRORS, &ANALYSIS, &SITE, &WORKER, &SERVICE_WORKER].concat();
        let mut listed: HashSet<&str> = scripts.iter().chain(&STYLES).map(|(name, _)| *name).collect();
        listed.extend(["analysis.css", "home.css", "site.css"]);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") || name.ends_with(".css") {
                assert!(listed.contains(name.as_str()), "{name} is not listed");
            }
        }
    }

    #[test]
    fn modules_are_in_the_order_of_their_imports() {
        let check = |modules: &[(&'static str, &'static str)], mut joined: HashSet<&'static str>| {
            for &(name, text) in modules {
                for import in imports(text) {
                    assert!(joined.contains(import), "{name} imports {import}, which comes later");
                }
                joined.insert(name);
            }
        };
        let all = |more: &[&[(&'static str, &'static str)]]| [&[&MODULES[..]], more].concat().concat();
        check(&all(&[&LOCAL]), HashSet::new());
        check(&all(&[&REQUESTS, &FRONT, &SERVER]), HashSet::new());
        check(&all(&[&REQUESTS, &ANALYSIS, &FRONT, &SITE]), HashSet::new());
        check(&ANALYSIS, SHARED.into());
    }

    #[test]
    fn top_level_names_are_unique() {
        let pages: [&[&[_]]; 3] =
            [&[&MODULES, &LOCAL], &[&MODULES, &REQUESTS, &FRONT, &SERVER], &[&MODULES, &REQUESTS, &ANALYSIS, &FRONT, &SITE]];
        for modules in pages.map(<[_]>::concat) {
            let mut seen = HashSet::new();
            for (file, text) in modules {
                for line in text.lines() {
                    let words =
                        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !["export", "async"].contains(word));
                    let words: Vec<&str> = words.take(2).collect();
                    if let ["const" | "let" | "function" | "class", name] = words[..]
                        && !line.starts_with(' ')
                    {
                        assert!(name.is_empty() || seen.insert(name), "{file}: {name} is declared twice");
                    }
                }
            }
        }
    }

    #[test]
    fn a_page_in_a_file_may_not_fetch_a_script() {
        assert!(html(server(), None).csp.contains("script-src 'self' 'sha256-"));
        assert!(html(Host::File, None).csp.contains("script-src 'sha256-"));
    }

    #[test]
    fn a_static_page_may_start_only_the_scripts_beside_it() {
        let csp = html(site(), None).csp;
        assert!(csp.contains("worker-src 'self'; ") && csp.contains("trusted-types pacman2") && !csp.contains("unsafe-inline"));
        assert!(!worker_script().contains("import"), "a worker is one file");
    }

    #[test]
    fn a_service_worker_changes_with_every_file() {
        let script = |content: &[u8]| service_worker_script(&[("index.html", b"a")], &[("docs/a.html", content)]);
        let version = |script: &str| script.split("version=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert_eq!(version(&script(b"b")), version(&script(b"b")));
        assert_ne!(version(&script(b"b")), version(&script(b"c")));
        assert!(!script(b"b").contains("\"{"), "{}", script(b"b"));
    }

    #[test]
    fn joining_removes_imports_exports_and_comments() {
        let modules = [
            ("a.js", "// Says a.\n\n/** @type {number} */\nexport const a = 1;\n"),
            (
                "b.js",
                "import {\n  a,\n} from \"./a.js\";\n\n/**\n * Adds.\n */\nexport function b() {\n  return a + /** @type {any} */ (2); \n}\n",
            ),
            ("c.js", "const c = `a , ${b}`;\nconst d = \" , `\";\n"),
        ];
        let script = "const a=1;function b(){return a + (2)}\nconst c=`a , ${b}`;const d=\" , `\";";
        assert_eq!(join(&modules), script);
    }

    #[test]
    fn a_minified_style_keeps_its_meaning() {
        let style = "/* A box. */\n.a,\n.b > c {\n  color: red;\n  margin: calc(1px + 2px) 0;\n}\n\
            @media (min-width: 1px) { .a { top: 0; } }\n";
        let minified = ".a,.b > c{color:red;margin:calc(1px + 2px) 0}@media (min-width:1px){.a{top:0}}";
        assert_eq!(minified_style(style), minified);
    }

    #[test]
    fn nothing_in_a_replay_is_markup() {
        let page = html(Host::File, Some(r#"{"name": "</script><script>alert(1)</script><!--"}"#));
        assert!(!page.html.contains("alert(1)</script>"));
        let embedded = page.html.split("id=\"replay-data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let value: Value = serde_json::from_str(embedded).unwrap();
        assert_eq!(value["name"], "</script><script>alert(1)</script><!--");
    }

    #[test]
    fn a_page_is_small() {
        // More than half of it is the engine. The pages of a server and of the site have a start page, with its words in two
        // languages. The line of a rerun takes 1.5 KB of each. That a board shows only the copies of its layers that are seen
        // takes 0.7 KB, and halves the time of a step. The loop for random games takes 3.7 KB of the engine: `sample` and other bots that
        // play them think up to 1.4 times as fast in a page, too. The table of ways by which mazes are carved, and what skips the numbers
        // of a failed attempt in halves, take 0.8 KB.
        for (host, most) in [(Host::File, 186_500), (server(), 197_000), (site(), 207_000)] {
            let page = html(host, None);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packed, page.html.as_bytes()).unwrap();
            let bytes = packed.finish().unwrap().len();
            assert!(bytes <= most, "the page for {host:?} has {bytes} bytes, gzipped");
        }
    }
}
