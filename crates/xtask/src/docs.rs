//! Builds the documentation site with ProperDocs, which `mkdocs.yml` configures. In strict mode it checks all pages, links and
//! headings; `docs/site/pages.py` checks that both languages have the same structure.

use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, bail};

use crate::cargo::{self, Metadata};
use crate::process::output;
use crate::{folder, python};

const REQUIREMENTS: &str = include_str!("../../../docs/site/requirements.txt");

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only check the pages: links, headings, and that both languages have the same structure
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// The folder to write the site to [default: docs-site in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = cargo::root();
    let metadata = Metadata::read(&root)?;
    if args.check {
        return check(&root, &metadata);
    }
    let out = absolute(args.out.clone().unwrap_or_else(|| metadata.target_directory.join("docs-site")))?;
    let part = folder::prepare(&out, |names| ["index.html", "RULES.html", "zh"].iter().all(|name| names.contains(*name)))?;
    make(&root, &metadata, &part)?;
    folder::replace(&part, &out)?;
    println!("{}", out.join("index.html").display());
    Ok(())
}

fn check(root: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    make(root, metadata, &folder.path().join("site"))
}

/// Makes the site in a folder, whose content it replaces.
pub(crate) fn make(root: &Path, metadata: &Metadata, site: &Path) -> anyhow::Result<()> {
    let requirements: Vec<&str> = REQUIREMENTS.lines().collect();
    let python = python::environment(&metadata.target_directory.join("tools/docs"), &requirements)?;
    let mut command = python::command(&python);
    command.args(["-m", "properdocs", "build", "--strict", "--config-file"]).arg(root.join("mkdocs.yml"));
    let output = output(command.arg("--site-dir").arg(site))?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr);
        let findings: Vec<&str> = printed.lines().filter(|line| !line.starts_with("INFO")).collect();
        bail!("the documentation has errors:\n{}", findings.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_have_no_errors() {
        if std::env::var("PACMAN2_PYTHON").as_deref() != Ok("must") {
            return eprintln!("NOT RUN: the documentation; this needs Python and a network, and runs with PACMAN2_PYTHON=must");
        }
        let root = cargo::root();
        check(&root, &Metadata::read(&root).unwrap()).unwrap();
    }
}
