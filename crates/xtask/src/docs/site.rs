//! Follows the links of the finished site.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::{html, paths};

/// Folders whose pages are not read: rustdoc and pdoc check their links, and some need scripts.
const NOT_READ: [&str; 1] = ["api"];

/// Returns the broken links, and how many links there are.
pub(super) fn broken_links(site: &Path) -> anyhow::Result<(Vec<String>, usize)> {
    let mut pages = BTreeMap::new();
    for path in paths::files(site, "", &|name| !NOT_READ.contains(&name))? {
        if path.ends_with(".html") {
            pages.insert(path.clone(), read(site, &path)?);
        }
    }
    let (mut broken, mut count) = (vec![], 0);
    let mut others = BTreeMap::new();
    for (page, (_, links)) in &pages {
        for link in links.iter().filter(|link| !paths::is_external(link) && !link.starts_with("data:")) {
            count += 1;
            let Some((path, anchor)) = paths::resolve(page, link) else {
                broken.push(format!("{page}: expected a link into the site, got {link:?}"));
                continue;
            };
            if !site.join(&path).is_file() {
                broken.push(format!("{page}: expected a file of the site, got {link:?}"));
                continue;
            }
            let Some(anchor) = anchor.filter(|_| path.ends_with(".html")) else { continue };
            if !pages.contains_key(&path) && !others.contains_key(&path) {
                others.insert(path.clone(), read(site, &path)?);
            }
            let anchors = &pages.get(&path).unwrap_or_else(|| &others[&path]).0;
            if !anchor.is_empty() && !anchors.contains(&anchor) {
                broken.push(format!("{page}: expected an anchor of {path}, got {link:?}"));
            }
        }
    }
    Ok((broken, count))
}

/// Returns the anchors and the links of a page.
fn read(site: &Path, path: &str) -> anyhow::Result<(HashSet<String>, Vec<String>)> {
    let text = fs::read_to_string(site.join(path)).with_context(|| format!("cannot read {path}"))?;
    let (mut anchors, mut links) = (HashSet::new(), vec![]);
    for attribute in html::attributes(&text) {
        match (attribute.tag.as_str(), attribute.name.as_str()) {
            (_, "id") | ("a", "name") => drop(anchors.insert(attribute.value)),
            (_, "href" | "src") => links.push(attribute.value),
            _ => {}
        }
    }
    Ok((anchors, links))
}
