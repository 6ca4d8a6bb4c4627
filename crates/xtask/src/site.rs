//! Builds the static site: a folder of files for any web host.
//!
//! - `index.html`: the page, complete with the small engine, and the gallery;
//! - `worker.js`, `analysis.wasm`: the strong engine;
//! - `sw.js`: the service worker, which keeps all files for use without a network;
//! - `docs`: the documentation.

use std::collections::HashMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use anyhow::{Context, ensure};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use pacman2_bots::BUILT_IN;
use pacman2_web::page::{self, Host};
use serde_json::Value;

use crate::cargo::Metadata;
use crate::wasm::Build;
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
    /// Then serve the site on this port of this machine, until Ctrl-C
    #[arg(long, value_name = "PORT")]
    serve: Option<u16>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = cargo::root();
    let out = absolute(args.out.clone().unwrap_or_else(|| root.join("target/site")))?;
    let part = folder::prepare(&out, |names| ["index.html", "worker.js", "sw.js"].iter().all(|name| names.contains(*name)))?;
    write(&root, &part, !args.no_docs)?;
    folder::replace(&part, &out)?;
    println!("{}", out.display());
    match args.serve {
        Some(port) => serve(&out, port),
        None => Ok(()),
    }
}

/// Writes the site to an empty folder.
fn write(root: &Path, part: &Path, with_docs: bool) -> anyhow::Result<()> {
    let build =
        Build { package: "pacman2-analysis", profile: "dist", folder: "worker", rustc: &[], wasm_opt: &["-O3", "--strip-debug"] };
    let (module, optimised) = build.run(root)?;
    if optimised.is_none() {
        println!("wasm-opt (package binaryen) is not installed: the engine is a tenth larger and slower");
    }
    fs::write(part.join("analysis.wasm"), optimised.unwrap_or(module))?;
    if with_docs {
        let docs = part.join(DOCS);
        docs::make(root, &Metadata::read(root)?, &docs)?;
        for page in LINKED.map(|page| docs.join(page)) {
            ensure!(page.is_file(), "expected the documentation to have {}", page.display());
        }
    }
    fs::write(part.join("index.html"), index(root, with_docs)?)?;
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
fn index(root: &Path, docs: bool) -> anyhow::Result<String> {
    // The others would stop the page for no longer than it takes to ask a worker.
    let bots: Vec<&str> = BUILT_IN.iter().filter(|bot| !bot.at_once).map(|bot| bot.name).collect();
    let path = root.join("crates/web/viewer/gallery.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let gallery: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(page::html(Host::Site { bots: &bots, gallery: &gallery, docs }, None).html)
}

/// Reads all files of a folder but hidden ones, which some hosts do not serve, by their paths with `/`.
fn files(folder: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            files.extend(self::files(&path)?.into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            files.push((name, fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}

/// Serves the files that are in the folder now, as a simple web host does.
fn serve(folder: &Path, port: u16) -> anyhow::Result<()> {
    let files: Arc<HashMap<String, Vec<u8>>> = Arc::new(files(folder)?.into_iter().collect());
    let answer = move |uri: Uri| {
        let path = uri.path().trim_start_matches('/');
        let path = if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
        let file = files.get(&path).cloned();
        async move { file.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |bytes| response(&path, bytes)) }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = tokio::net::TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        println!("The site is at http://{}/\nPress Ctrl-C to stop.", listener.local_addr()?);
        Ok(axum::serve(listener, axum::Router::new().fallback(answer)).await?)
    })
}

fn response(path: &str, bytes: Vec<u8>) -> Response {
    let kind = match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], bytes).into_response()
}
