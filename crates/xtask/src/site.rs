//! Builds the static site: a folder of files for any web host.
//!
//! - `index.html`: the page, complete with the small engine, and the gallery;
//! - `worker.js`, `analysis.wasm`: the strong engine;
//! - `sw.js`: the service worker, which keeps all files for use without a network;
//! - `docs`: the documentation.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, ensure};
use flate2::read::GzDecoder;
use pacman2_bots::slow_bots;
use pacman2_web::page::{self, Host};
use serde_json::Value;

use crate::cargo::Metadata;
use crate::{cargo, docs, folder};

/// The folder of the documentation in the site, and the pages of it that the page links to.
const DOCS: &str = "docs";
const LINKED: [&str; 4] = ["index.html", "RULES.html", "zh/index.html", "zh/RULES.html"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write the site to [default: target/site]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave out the documentation, which needs Python and a network
    #[arg(long)]
    no_docs: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = cargo::root();
    let out = absolute(args.out.clone().unwrap_or_else(|| root.join("target/site")))?;
    let part = folder::prepare(&out, |names| ["index.html", "worker.js", "sw.js"].iter().all(|name| names.contains(*name)))?;
    write(&root, &part, !args.no_docs)?;
    folder::replace(&part, &out)?;
    println!("{}", out.display());
    Ok(())
}

/// Writes the site to an empty folder.
fn write(root: &Path, part: &Path, with_docs: bool) -> anyhow::Result<()> {
    let mut engine = vec![];
    GzDecoder::new(page::strong_engine()).read_to_end(&mut engine)?;
    fs::write(part.join("analysis.wasm"), &engine)?;
    if with_docs {
        let docs = part.join(DOCS);
        docs::make(root, &Metadata::read(root)?, &docs)?;
        for page in LINKED.map(|page| docs.join(page)) {
            ensure!(page.is_file(), "expected the documentation to have {}", page.display());
        }
    }
    fs::write(part.join("index.html"), index(root, &engine, with_docs)?)?;
    fs::write(part.join("worker.js"), page::worker_script())?;
    let files = files(part)?;
    let (first, later): (Vec<_>, Vec<_>) =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).partition(|(path, _)| is_first(path));
    fs::write(part.join("sw.js"), page::service_worker_script(&first, &later))?;
    Ok(())
}

/// Returns whether the page cannot start without a file.
fn is_first(path: &str) -> bool {
    ["index.html", "worker.js"].contains(&path)
}

/// Returns the page.
fn index(root: &Path, engine: &[u8], docs: bool) -> anyhow::Result<String> {
    let bots = slow_bots();
    let path = root.join("crates/web/viewer/gallery.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let gallery: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(page::html(Host::Site { bots: &bots, engine, gallery: &gallery, docs }, None).html)
}

/// Reads all files of a folder but hidden ones, which some hosts do not serve, by their paths with `/`.
fn files(part: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut files = vec![];
    for path in folder::files(part)? {
        let names: Vec<_> = path.strip_prefix(part)?.iter().map(|name| name.to_string_lossy()).collect();
        if !names.iter().any(|name| name.starts_with('.')) {
            files.push((names.join("/"), fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
