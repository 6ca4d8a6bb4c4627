//! Puts the viewer together: one HTML text that holds everything it needs.
//!
//! The sources are the modules in `viewer/`. `build.js` bundles them into the scripts and style sheets in `bundle/`, so that a
//! page is self-contained and opens from a disk.

use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The element that every page of this program has near its beginning.
pub const MARK: &str = r#"<meta name="generator" content="pacman2">"#;

/// What the page of a game in a report may do besides what every page may: start the worker that it contains. The page around it has
/// to allow the same.
pub(crate) const REPORT_POLICY: &str =
    "connect-src 'none'; worker-src blob:; require-trusted-types-for 'script'; trusted-types pacman2";

/// A self-contained page.
pub struct Page {
    /// The HTML text.
    pub html: String,
    /// The page's Content-Security-Policy, which the text contains as well.
    pub csp: String,
}

/// What a kind of page consists of besides its frame.
struct Bundle {
    style: &'static str,
    script: &'static str,
}

macro_rules! bundle {
    ($name:literal) => {
        Bundle {
            style: include_str!(concat!("../bundle/", $name, ".css")).trim_ascii_end(),
            script: include_str!(concat!("../bundle/", $name, ".js")).trim_ascii_end(),
        }
    };
}

const FILE: Bundle = bundle!("file");
const SERVER: Bundle = bundle!("server");
const REPORT: Bundle = bundle!("report");
const SITE: Bundle = bundle!("site");
const FRAME: &str = include_str!("../viewer/index.html");
/// Crate `pacman2-timeline` as WebAssembly, made by `cargo xtask viewer`.
const ENGINE: &[u8] = include_bytes!("../viewer/timeline.wasm.gz");
/// Crate `pacman2-analysis` as WebAssembly, made in the same way.
const STRONG_ENGINE: &[u8] = include_bytes!("../viewer/analysis.wasm.gz");

/// Where a page runs. It decides what the page offers, and what its Content-Security-Policy allows.
#[derive(Clone, Copy, Debug)]
pub enum Host<'a> {
    /// A server: the page lists matches and replays, starts matches, and analyses.
    Server {
        /// The folder of the replays, for display.
        folder: &'a Path,
        /// The built-in bots that a match can be started with.
        bots: &'a [&'static str],
        /// The folder with the user's own bots, if the server shows one.
        mine: Option<&'a Path>,
        /// Whether the server shows an arena.
        arena: bool,
    },
    /// A file, which can send no requests.
    File,
    /// A frame in the page of an arena that is a file. It contains the strong engine.
    Report {
        /// The bots that play with the strong engine.
        bots: &'a [&'static str],
    },
    /// Botzone, as this game's player page. Botzone may add scripts of its own site.
    Botzone,
    /// A folder of static files with a strong engine in a worker; `cargo xtask site` makes it.
    Site {
        /// The bots that play with the strong engine.
        bots: &'a [&'static str],
        /// That engine, `analysis.wasm`.
        engine: &'a [u8],
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
            Host::Server { folder, bots, mine, arena } => {
                let [folder, mine] = [Some(folder), mine].map(|path| path.map(|path| path.display().to_string()));
                json!({ "host": "server", "folder": folder, "bots": bots, "mine": mine, "arena": arena })
            }
            Host::File => json!({ "host": "file", "version": env!("CARGO_PKG_VERSION") }),
            Host::Report { bots } => {
                let engine = json!({ "module": STANDARD.encode(STRONG_ENGINE), "script": worker_script() });
                json!({ "host": "report", "version": env!("CARGO_PKG_VERSION"), "bots": bots, "engine": engine })
            }
            Host::Botzone => json!({ "host": "botzone" }),
            Host::Site { bots, engine, gallery, docs } => {
                let engine = json!({ "module": hash(engine), "script": hash(worker_script()) });
                let version = env!("CARGO_PKG_VERSION");
                json!({ "host": "site", "version": version, "bots": bots, "engine": engine, "gallery": gallery, "docs": docs })
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
    static ENGINE_TEXT: LazyLock<String> = LazyLock::new(|| STANDARD.encode(ENGINE));
    let Bundle { style, script } = bundle(host);
    let (scripts, rest) = match host {
        // The script of the analysis comes from the server.
        Host::Server { .. } => ("'self' ", "connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"),
        Host::File => ("", "connect-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"),
        Host::Report { .. } => ("", REPORT_POLICY),
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
        ("{engine}", &ENGINE_TEXT),
        ("{script}", script),
    ];
    Page { html: fill(FRAME, &values), csp }
}

/// Returns the page that shows the one for Botzone in a frame, with a match of the server's folder.
#[cfg(feature = "server")]
pub(crate) fn botzone_preview() -> Page {
    let Bundle { style, script } = bundle!("botzone");
    let csp = format!(
        "default-src 'none'; script-src 'self' '{}'; style-src '{}'; connect-src 'self'; frame-src 'self'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hash(script),
        hash(style),
    );
    let frame = include_str!("../viewer/botzone-preview.html");
    Page { html: fill(frame, &[("{csp}", &csp), ("{style}", style), ("{script}", script)]), csp }
}

fn bundle(host: Host<'_>) -> Bundle {
    match host {
        Host::Server { .. } => SERVER,
        Host::File | Host::Botzone => FILE,
        Host::Report { .. } => REPORT,
        Host::Site { .. } => SITE,
    }
}

/// Returns the hashes of the script and the style of a host's page.
#[cfg(feature = "server")]
pub(crate) fn hashes(host: Host<'_>) -> [String; 2] {
    let Bundle { style, script } = bundle(host);
    [hash(script), hash(style)]
}

/// Returns the script of the analysis: a module that exports `mountAnalysis`.
///
/// # Examples
/// ```
/// assert!(pacman2_web::page::analysis_script().contains("mountAnalysis"));
/// ```
#[must_use]
pub fn analysis_script() -> &'static str {
    include_str!("../bundle/analysis.js")
}

/// Returns the script of the page of a bot, with an editor: a module that exports `mountBotPage`.
///
/// # Examples
/// ```
/// assert!(pacman2_web::page::editor_script().contains("mountBotPage"));
/// ```
#[must_use]
pub fn editor_script() -> &'static str {
    include_str!("../bundle/editor.js")
}

/// Returns the script with the words for a server's errors and for other reasons: a module that exports `wordError` and
/// `chineseReason`.
///
/// # Examples
/// ```
/// assert!(pacman2_web::page::errors_script().contains("wordError"));
/// ```
#[must_use]
pub fn errors_script() -> &'static str {
    include_str!("../bundle/errors.js")
}

/// Returns the strong engine of pages without a server, `analysis.wasm`, gzipped.
#[must_use]
pub fn strong_engine() -> &'static [u8] {
    STRONG_ENGINE
}

/// Returns the script of its worker, `worker.js`.
#[must_use]
pub fn worker_script() -> &'static str {
    include_str!("../bundle/worker.js")
}

/// Returns the script of a static page's service worker, `sw.js`. `first` are the files that the page starts with, and
/// `later` those that it may need, each with its content.
///
/// # Examples
/// ```
/// let script = pacman2_web::page::service_worker_script(&[("index.html", b"<!doctype html>")], &[]);
/// assert!(script.contains(r#""first":{"index.html":"sha256-"#));
/// ```
#[must_use]
pub fn service_worker_script(first: &[(&str, &[u8])], later: &[(&str, &[u8])]) -> String {
    let digests = |files: &[(&str, &[u8])]| {
        let digests = files.iter().map(|(path, bytes)| ((*path).to_owned(), hash(bytes).into()));
        Value::Object(digests.collect())
    };
    let (first, later) = (digests(first), digests(later));
    let version = hash(format!("{first}{later}"));
    let site = json!({ "version": version, "first": first, "later": later });
    format!("const site={site};{}", include_str!("../bundle/sw.js"))
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn server() -> Host<'static> {
        Host::Server { folder: Path::new("replays"), bots: &["greedy"], mine: None, arena: false }
    }

    fn site() -> Host<'static> {
        Host::Site { bots: &[], engine: b"", gallery: &Value::Null, docs: true }
    }

    #[test]
    fn every_page_begins_with_the_mark() {
        for page in [Host::File, Host::Botzone, Host::Report { bots: &[] }, server(), site()].map(|host| html(host, None)) {
            assert!(page.html.starts_with("<!doctype html>") && page.html[..1024].contains(MARK));
        }
    }

    #[test]
    fn the_committed_bundle_is_built_from_these_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = ["../botzone/words/zh.json", "build.js", "package-lock.json"].map(str::to_owned).to_vec();
        for folder in ["arena", "contest", "viewer"] {
            let names = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let names = names.filter(|name| name.ends_with(".css") || name.ends_with(".js"));
            sources.extend(names.map(|name| format!("{folder}/{name}")));
        }
        sources.sort();
        let mut hash = Sha256::new();
        for source in sources {
            hash.update(&source);
            hash.update(fs::read_to_string(root.join(&source)).unwrap().replace("\r\n", "\n"));
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let recorded = fs::read_to_string(root.join("bundle/sources")).unwrap();
        assert_eq!(recorded.trim(), hash, "the bundle is out of date: run `npm ci` once and `npm run build` in crates/web");
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
        let version = |script: &str| script.split("\"version\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert_eq!(version(&script(b"b")), version(&script(b"b")));
        assert_ne!(version(&script(b"b")), version(&script(b"c")));
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
        // More than half of it is the engine, which also packs and unpacks links and reads all files with matches. The pages of a
        // server and of the site have a start page, with its words in two languages. That of a report has the strong engine.
        let report = Host::Report { bots: &[] };
        for (host, most) in [(Host::File, 236_500), (server(), 246_000), (site(), 257_500), (report, 510_000)] {
            let page = html(host, None);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packed, page.html.as_bytes()).unwrap();
            let bytes = packed.finish().unwrap().len();
            assert!(bytes <= most, "the page for {host:?} has {bytes} bytes, gzipped");
        }
    }
}
