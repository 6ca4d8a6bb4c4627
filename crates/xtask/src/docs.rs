//! Checks the documentation and builds a static site from it.
//!
//! The Markdown files of the repository are the only source. `chapters` lists them, `check` says what must hold for them (and
//! runs as a test, too), `book` turns them into two books for mdBook, `api` adds the API docs of Rust and Python, and `site`
//! follows every link of the result.

mod api;
mod book;
mod chapters;
mod check;
mod doc_comments;
mod html;
mod markdown;
mod paths;
mod site;
mod tools;

use std::path::{Path, PathBuf, absolute};
use std::time::Instant;

use anyhow::{bail, ensure};
use book::Books;
use chapters::CONTENTS;

use crate::cargo::{self, Metadata};
use crate::folder;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only check the Markdown: links, anchors, code blocks, and that both languages have the same structure
    #[arg(long, conflicts_with_all = ["out", "no_api"])]
    check: bool,
    /// The folder to write the site to [default: docs-site in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave out the API docs, which take the most time
    #[arg(long)]
    no_api: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = cargo::root();
    check(&root)?;
    if args.check {
        return Ok(());
    }
    let start = Instant::now();
    let metadata = Metadata::read(&root)?;
    let out = absolute(args.out.clone().unwrap_or_else(|| metadata.target_directory.join("docs-site")))?;
    let part = folder::prepare(&out, |names| ["index.html", "en", "zh"].iter().all(|name| names.contains(*name)))?;
    let links = make(&root, &metadata, &part, !args.no_api)?;
    folder::replace(&part, &out)?;
    let seconds = start.elapsed().as_secs();
    println!("{}: {links} links checked, built in {seconds} s", out.join("index.html").display());
    Ok(())
}

/// Checks the documentation and makes a site without API docs in an empty folder.
pub(crate) fn make_without_api(root: &Path, part: &Path) -> anyhow::Result<()> {
    check(root)?;
    make(root, &Metadata::read(root)?, part, false)?;
    Ok(())
}

/// Makes the site in an empty folder, and returns the number of its links.
fn make(root: &Path, metadata: &Metadata, part: &Path, with_api: bool) -> anyhow::Result<usize> {
    let mdbook = tools::mdbook(root, metadata)?;
    // Rust's API docs are part of every site; Python's need a Python and a network, which may be missing.
    let (no_rust, no_python) = if !with_api {
        (Some("--no-api".to_owned()), Some("--no-api".to_owned()))
    } else {
        api::rust(root, metadata, &part.join("api/rust"))?;
        let folder = metadata.target_directory.join("docs-python");
        match api::python_with_pdoc(&folder) {
            Ok(python) => {
                api::python(root, &python, &folder, &part.join("api/python"))?;
                (None, None)
            }
            Err(missing) => (None, Some(format!("{missing:#}"))),
        }
    };
    Books { root, site: part, metadata, mdbook: &mdbook, no_rust, no_python: no_python.clone() }.make()?;
    let (broken, links) = site::broken_links(part)?;
    ensure!(
        broken.is_empty(),
        "{} links of the site are broken; fix crates/xtask/src/docs/book.rs:\n{}",
        broken.len(),
        broken.join("\n")
    );
    if let Some(reason) = no_python.filter(|_| with_api) {
        println!("the API docs of the Python package were not made: {reason}");
    }
    Ok(links)
}

/// Prints what is wrong with the pages, or that nothing is.
fn check(root: &Path) -> anyhow::Result<()> {
    let (findings, counts) = check::check(root, CONTENTS)?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => println!("checked {} pages, {} links and {} code blocks", counts.pages, counts.links, counts.blocks),
        1 => bail!("found 1 error in the documentation; fix the line above"),
        errors => bail!("found {errors} errors in the documentation; fix the lines above"),
    }
    Ok(())
}
