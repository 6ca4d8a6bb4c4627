//! Paths relative to the root of the repository or of the site, with `/` on every system.

use std::fs;
use std::path::Path;

use anyhow::Context;
use percent_encoding::percent_decode_str;

/// Returns the sorted names in a folder, without hidden ones.
pub(super) fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let context = || format!("cannot read the folder {}", folder.display());
    let mut names = vec![];
    for entry in fs::read_dir(folder).with_context(context)? {
        let name = entry.with_context(context)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the paths of all files in a folder and its subfolders, but not those whose name is excluded.
pub(super) fn files(root: &Path, folder: &str, include: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<String>> {
    let mut files = vec![];
    for name in names(&root.join(folder))?.into_iter().filter(|name| include(name)) {
        let path = join(folder, &name);
        if root.join(&path).is_dir() {
            files.extend(self::files(root, &path, include)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the folder of a file; "" is the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a link leads out of the repository, to the web or to a mailbox.
pub(super) fn is_external(destination: &str) -> bool {
    ["https:", "http:", "mailto:"].iter().any(|scheme| destination.starts_with(scheme))
}

/// Returns the path and the anchor that a relative link leads to; None if it is not relative or leaves the root.
pub(super) fn resolve(from: &str, destination: &str) -> Option<(String, Option<String>)> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
    let (path, anchor) = match destination.split_once('#') {
        Some((path, anchor)) => (path, Some(decoded(anchor)?)),
        None => (destination, None),
    };
    if path.is_empty() {
        return anchor.map(|anchor| (from.to_owned(), Some(anchor)));
    }
    // An absolute path, or another scheme.
    if path.starts_with('/') || path.split('/').next().is_some_and(|first| first.contains(':')) {
        return None;
    }
    let path = decoded(path)?;
    let mut parts: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some((parts.join("/"), anchor))
}

/// Copies a file, or a folder without the names that are excluded.
pub(super) fn copy(from: &Path, to: &Path, include: &dyn Fn(&str) -> bool) -> anyhow::Result<()> {
    let context = || format!("cannot copy {} to {}", from.display(), to.display());
    if !from.is_dir() {
        fs::create_dir_all(to.parent().unwrap_or(to)).with_context(context)?;
        fs::copy(from, to).with_context(context)?;
        return Ok(());
    }
    fs::create_dir_all(to).with_context(context)?;
    for name in names(from)?.into_iter().filter(|name| include(name)) {
        copy(&from.join(&name), &to.join(&name), include)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved() {
        let to = |from: &str, link: &str| resolve(from, link).map(|(path, anchor)| (path, anchor.unwrap_or_default()));
        let path = |path: &str, anchor: &str| Some((path.to_owned(), anchor.to_owned()));
        assert_eq!(to("docs/A.md", "../crates/rules/"), path("crates/rules", ""));
        assert_eq!(to("docs/A.md", "B.md#c"), path("docs/B.md", "c"));
        assert_eq!(to("A.md", "#%E7%94%B2"), path("A.md", "甲"));
        assert_eq!(to("A.md", "a%20b"), path("a b", ""));
        assert_eq!(to("docs/A.md", ".."), path("", ""));
        assert_eq!(to("docs/A.md", "../../x"), None);
        assert_eq!(to("A.md", "javascript:x"), None);
        assert_eq!(to("A.md", "/x"), None);
        assert_eq!(to("A.md", ""), None);
    }
}
