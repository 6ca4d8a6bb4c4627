//! The licences of what others wrote, which have to accompany programs that contain it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use anyhow::Context;

use super::linked::Linked;

/// How the names of files with licences begin.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

const INTRODUCTION: &str = "\
pacman2 contains Rust's standard library (MIT or Apache-2.0), SQLite (public domain), on Linux the C library musl
(MIT, copyright 2005-2020 Rich Felker and others), and the crates listed here with their licences. Not every crate is
part of pacman2 on every system.
";

/// Returns the list of all crates of others, and the text of every licence once, after the crates that come with it.
pub(super) fn text(linked: &Linked) -> anyhow::Result<String> {
    let mut list = String::new();
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for (id, _, package) in linked.crates().filter(|(_, _, package)| package.source.is_some()) {
        let name = format!("{} {}", id.0, id.1);
        writeln!(list, "  {name}: {}", package.license.as_deref().unwrap_or("see below"))?;
        let folder = package.folder();
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            if path.is_file() && NAMES.iter().any(|start| file.starts_with(start)) {
                let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
                let users = texts.entry(text.trim_matches('\n').to_owned()).or_default();
                if !users.contains(&name) {
                    users.push(name.clone());
                }
            }
        }
    }
    let mut texts: Vec<_> = texts.into_iter().map(|(text, users)| (users, text)).collect();
    texts.sort();
    let line = "-".repeat(100);
    let mut all = format!("{INTRODUCTION}\n{list}");
    for (users, text) in texts {
        write!(all, "\n{line}\n{}:\n\n{text}\n", users.join(", "))?;
    }
    Ok(all)
}
