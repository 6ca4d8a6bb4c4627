//! Checks all Markdown of the repository, without a network and without other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::chapters::{Entry, FOLDERS, Language};
use super::markdown::{Block, Heading, Link, Page};
use super::paths;

/// The languages that a fenced code block may name.
const LANGUAGES: [&str; 19] = [
    "c",
    "console",
    "cpp",
    "css",
    "diff",
    "html",
    "ini",
    "java",
    "js",
    "json",
    "make",
    "powershell",
    "python",
    "rust",
    "sh",
    "text",
    "toml",
    "ts",
    "yaml",
];
/// Folders in which README files are checked. In those of `chapters::FOLDERS` all pages are.
const OTHER_FOLDERS: [&str; 6] = ["cpp", "crates", "examples", "fuzz", "lab", "site"];
/// Names of folders that hold build output or the work of others.
const SKIPPED: [&str; 4] = ["target", "node_modules", "corpus", "artifacts"];

/// An error on a page.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// How much was checked.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) pages: usize,
    pub(super) links: usize,
    pub(super) blocks: usize,
}

/// Returns all errors, sorted by path and line.
pub(super) fn check(root: &Path, contents: &[Entry]) -> anyhow::Result<(Vec<Finding>, Counts)> {
    let mut check = Check { root, pages: BTreeMap::new(), findings: vec![] };
    for path in pages(root)? {
        let text = fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        check.pages.insert(path, Page::parse(&text));
    }
    check.contents(contents);
    check.twins();
    check.links();
    check.blocks();
    let counts = Counts {
        pages: check.pages.len(),
        links: check.pages.values().map(|page| page.links.len()).sum(),
        blocks: check.pages.values().map(|page| page.blocks.len()).sum(),
    };
    check.findings.sort();
    Ok((check.findings, counts))
}

/// Returns the paths of all pages to check.
fn pages(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut pages = BTreeSet::new();
    for folder in FOLDERS {
        for name in paths::names(&root.join(folder))? {
            if name.ends_with(".md") {
                pages.insert(paths::join(folder, &name));
            }
        }
    }
    for folder in OTHER_FOLDERS.iter().filter(|folder| root.join(folder).is_dir()) {
        for path in paths::files(root, folder, &|name| !SKIPPED.contains(&name))? {
            let name = path.rsplit('/').next().unwrap_or_default();
            if name.starts_with("README") && name.ends_with(".md") {
                pages.insert(path);
            }
        }
    }
    Ok(pages)
}

struct Check<'a> {
    root: &'a Path,
    pages: BTreeMap<String, Page>,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn find(&mut self, path: &str, line: usize, message: String) {
        self.findings.push(Finding { path: path.to_owned(), line, message });
    }

    /// Every chapter has its files, and every page is a chapter.
    fn contents(&mut self, contents: &[Entry]) {
        let listed: BTreeSet<String> =
            contents.iter().flat_map(|entry| Language::ALL.into_iter().filter_map(|language| entry.file(language))).collect();
        let here = |path: &&String| FOLDERS.contains(&paths::folder(path));
        let there: BTreeSet<String> = self.pages.keys().filter(here).cloned().collect();
        for path in listed.difference(&there) {
            self.find(
                path,
                1,
                "expected this file of a chapter, got none; write it, or remove the chapter from CONTENTS in chapters.rs"
                    .to_owned(),
            );
        }
        for path in there.difference(&listed) {
            self.find(path, 1, "expected a chapter for this page, got none; add it to CONTENTS in chapters.rs".to_owned());
        }
    }

    /// Both languages of a page have the same headings and code blocks.
    fn twins(&mut self) {
        let mut findings = vec![];
        for (path, page) in self.pages.iter().filter(|(path, _)| path.ends_with(".zh.md")) {
            let other_path = twin(path);
            let Some(other) = self.pages.get(&other_path) else {
                let message = format!("expected the same page in English, {other_path}, got none; write it");
                findings.push(Finding { path: path.clone(), line: 1, message });
                continue;
            };
            for (what, parts) in [("headings", Page::headings as fn(&Page) -> Vec<Part>), ("code blocks", Page::blocks)] {
                let (ours, theirs) = (parts(page), parts(other));
                let at = ours.iter().zip(&theirs).take_while(|(our, their)| our.name == their.name).count();
                let message = match (ours.get(at), theirs.get(at)) {
                    (None, None) => continue,
                    (our, Some(their)) => {
                        let got = our.map_or("none", |our| &our.name);
                        format!("expected {} as in {other_path}:{}, got {got}", their.name, their.line)
                    }
                    (Some(our), None) => format!("expected no more {what}, as in {other_path}, got {}", our.name),
                };
                let line = ours.get(at).or(ours.last()).map_or(1, |our| our.line);
                let message = format!("{message}; both languages need the same {what}");
                findings.push(Finding { path: path.clone(), line, message });
            }
        }
        self.findings.extend(findings);
    }

    /// The target of every link exists.
    fn links(&mut self) {
        let mut findings = vec![];
        for (path, page) in &self.pages {
            for link in &page.links {
                if let Some(message) = self.link_error(path, link) {
                    findings.push(Finding { path: path.clone(), line: link.line, message });
                }
            }
        }
        self.findings.extend(findings);
    }

    fn link_error(&self, from: &str, link: &Link) -> Option<String> {
        let destination = &link.destination;
        if paths::is_external(destination) {
            return None;
        }
        let Some((path, anchor)) = paths::resolve(from, destination) else {
            return Some(format!("expected a relative path within the repository or an https address, got {destination:?}"));
        };
        if !self.root.join(&path).exists() {
            return Some(format!("expected a file or folder, got {destination:?}, which does not exist; fix the link"));
        }
        let is_other_language = Language::of_page(&path) != Language::of_page(from);
        if path.ends_with(".md") && is_other_language && path != twin(from) && self.pages.contains_key(&twin(&path)) {
            return Some(format!("expected a link to {} from a page in this language, got {destination:?}", twin(&path)));
        }
        let anchor = anchor?;
        let Some(page) = self.pages.get(&path) else {
            return Some(format!("expected an anchor in a Markdown page, got {destination:?}; link to the file alone"));
        };
        if page.anchors().any(|name| name == anchor) {
            return None;
        }
        let near = page.anchors().max_by(|a, b| strsim::jaro(a, &anchor).total_cmp(&strsim::jaro(b, &anchor)));
        let near = near.map_or("the page has none".to_owned(), |near| format!("the nearest is #{near}"));
        Some(format!("expected the anchor of a heading of {path}, got #{anchor}; {near}"))
    }

    /// Every fenced code block names a known language.
    fn blocks(&mut self) {
        let mut findings = vec![];
        for (path, page) in &self.pages {
            for block in &page.blocks {
                let Some(language) = &block.language else { continue };
                if !LANGUAGES.contains(&language.as_str()) {
                    let message = format!(
                        "expected a language after the fence, one of {}, got {language:?}; use \"text\" if there is none",
                        LANGUAGES.join(", ")
                    );
                    findings.push(Finding { path: path.clone(), line: block.line, message });
                }
            }
        }
        self.findings.extend(findings);
    }
}

/// A heading or a code block, with what both languages have in common.
struct Part {
    name: String,
    line: usize,
}

impl Page {
    fn headings(&self) -> Vec<Part> {
        let part = |heading: &Heading| Part { name: format!("a heading of level {}", heading.level), line: heading.line };
        self.headings.iter().map(part).collect()
    }

    fn blocks(&self) -> Vec<Part> {
        let name = |block: &Block| match &block.language {
            Some(language) => format!("a code block in {language:?}"),
            None => "an indented code block".to_owned(),
        };
        self.blocks.iter().map(|block| Part { name: name(block), line: block.line }).collect()
    }
}

/// Returns the path of the same page in the other language.
fn twin(path: &str) -> String {
    match path.strip_suffix(".zh.md") {
        Some(stem) => format!("{stem}.md"),
        None => format!("{}.zh.md", path.strip_suffix(".md").unwrap_or(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::chapters::{CONTENTS, Entry, Written};
    use super::*;

    /// Checks what is found in a repository of these files whose only chapter is `docs/A`.
    #[track_caller]
    fn check_finds(files: &[(&str, &str)], findings: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let contents = [Entry::Chapter { path: "docs/A", written: Written::InBoth, title: ["A", "甲"] }];
        let (found, _) = check(folder.path(), &contents).unwrap();
        let found: Vec<String> = found.iter().map(Finding::to_string).collect();
        assert_eq!(found, findings);
    }

    #[test]
    fn the_pages_of_this_repository() {
        let (findings, counts) = check(&crate::cargo::root(), CONTENTS).unwrap();
        let findings: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert!(findings.is_empty(), "fix these errors in the documentation:\n{}", findings.join("\n"));
        assert!(counts.pages > 30 && counts.links > 300 && counts.blocks > 100, "expected more pages, links and code blocks");
    }

    #[test]
    fn correct_pages() {
        let page = "# A\n\n[A](A.md#a) [file](../src/x.rs) [folder](../src/) [web](https://x.org/#y)\n\n```sh\n```\n";
        check_finds(
            &[
                ("docs/A.md", page),
                ("docs/A.zh.md", "# 甲！\n\n[A](A.md) [甲](#甲) [%](A.zh.md#%E7%94%B2)\n\n```sh\n```\n"),
                ("src/x.rs", ""),
                ("crates/a/README.md", "[A](../../docs/A.md#a)"),
                ("crates/a/node_modules/README.md", "[A](B.md)"),
            ],
            &[],
        );
    }

    #[test]
    fn chapters_and_pages_match() {
        check_finds(
            &[("docs/A.md", ""), ("docs/B.md", ""), ("C.zh.md", "")],
            &[
                "C.zh.md:1: expected a chapter for this page, got none; add it to CONTENTS in chapters.rs",
                "C.zh.md:1: expected the same page in English, C.md, got none; write it",
                "docs/A.zh.md:1: expected this file of a chapter, got none; write it, or remove the chapter from CONTENTS in chapters.rs",
                "docs/B.md:1: expected a chapter for this page, got none; add it to CONTENTS in chapters.rs",
            ],
        );
    }

    #[test]
    fn both_languages_have_the_same_structure() {
        check_finds(
            &[("docs/A.md", "# A\n## B\n\n```sh\n```\n\n    x\n"), ("docs/A.zh.md", "# 甲\n### 乙\n\n```text\n```\n\n    x\n")],
            &[
                "docs/A.zh.md:2: expected a heading of level 2 as in docs/A.md:2, got a heading of level 3; \
                 both languages need the same headings",
                "docs/A.zh.md:4: expected a code block in \"sh\" as in docs/A.md:4, got a code block in \"text\"; \
                 both languages need the same code blocks",
            ],
        );
        check_finds(
            &[("docs/A.md", "# A\n\n    x\n"), ("docs/A.zh.md", "# 甲\n## 乙\n")],
            &[
                "docs/A.zh.md:1: expected an indented code block as in docs/A.md:3, got none; \
                 both languages need the same code blocks",
                "docs/A.zh.md:2: expected no more headings, as in docs/A.md, got a heading of level 2; \
                 both languages need the same headings",
            ],
        );
    }

    #[test]
    fn targets_of_links_exist() {
        check_finds(
            &[
                ("docs/A.md", "# Heading\n[a](B.md)\n[b](#headings)\n[c](../../x)\n[d](/x)\n[e](x.rs#L1)\n<a href='no'>f</a>\n"),
                ("docs/A.zh.md", "# 甲\n[a](../crates/B/README.md)\n"),
                ("docs/x.rs", ""),
                ("crates/B/README.md", ""),
                ("crates/B/README.zh.md", ""),
            ],
            &[
                "docs/A.md:2: expected a file or folder, got \"B.md\", which does not exist; fix the link",
                "docs/A.md:3: expected the anchor of a heading of docs/A.md, got #headings; the nearest is #heading",
                "docs/A.md:4: expected a relative path within the repository or an https address, got \"../../x\"",
                "docs/A.md:5: expected a relative path within the repository or an https address, got \"/x\"",
                "docs/A.md:6: expected an anchor in a Markdown page, got \"x.rs#L1\"; link to the file alone",
                "docs/A.md:7: expected a file or folder, got \"no\", which does not exist; fix the link",
                "docs/A.zh.md:2: expected a link to crates/B/README.zh.md from a page in this language, got \"../crates/B/README.md\"",
            ],
        );
    }

    #[test]
    fn fences_name_a_language() {
        let page = "# A\n\n```\n```\n\n```klingon\n```\n";
        let (findings, _) = {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("docs")).unwrap();
            fs::write(folder.path().join("docs/A.md"), page).unwrap();
            check(folder.path(), &[]).unwrap()
        };
        let lines: Vec<usize> = findings.iter().filter(|finding| finding.message.contains("fence")).map(|f| f.line).collect();
        assert_eq!(lines, [3, 6]);
    }
}
