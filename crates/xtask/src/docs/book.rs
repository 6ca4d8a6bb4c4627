//! Builds the two books: assembles their sources from the pages of the repository, and runs mdBook.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};

use super::chapters::{CONTENTS, Entry, Language};
use super::markdown::{Link, Page};
use super::{html, paths};
use crate::cargo::Metadata;

/// Files and folders that are copied into the site if a page links to them.
const COPIED: [&str; 4] = ["docs/", "examples/", "LICENSE-MIT", "LICENSE-APACHE"];
/// The folder of the site that they are copied to.
const FILES: &str = "files";
/// Names that are not copied with a folder: caches, and the output of tournaments.
const NOT_COPIED: [&str; 2] = ["__pycache__", "results"];
/// The name of the page that links to the API docs. It has no file in the repository.
const API: &str = "api";

/// What the books are built from.
pub(super) struct Books<'a> {
    pub(super) root: &'a Path,
    pub(super) site: &'a Path,
    pub(super) metadata: &'a Metadata,
    pub(super) mdbook: &'a Path,
    /// Why the site has no API docs of Rust or of Python, if it has none.
    pub(super) no_rust: Option<String>,
    pub(super) no_python: Option<String>,
}

/// What to do with a link.
enum Rewrite {
    Keep,
    To(String),
    /// Leave only the text
    Unlink,
}

impl Books<'_> {
    pub(super) fn make(&self) -> anyhow::Result<()> {
        let files = RefCell::new(BTreeSet::new());
        for language in Language::ALL {
            self.make_book(language, &files).with_context(|| format!("cannot build the book {}", language.folder()))?;
        }
        for path in files.into_inner() {
            self.copy(&path)?;
        }
        fs::write(self.site.join("index.html"), self.index())?;
        Ok(())
    }

    fn make_book(&self, language: Language, files: &RefCell<BTreeSet<String>>) -> anyhow::Result<()> {
        let book = self.metadata.target_directory.join("docs-book").join(language.folder());
        if book.exists() {
            fs::remove_dir_all(&book)?;
        }
        fs::create_dir_all(book.join("src"))?;
        let mut summary = "# Summary\n\n".to_owned();
        for entry in CONTENTS {
            match entry {
                Entry::Part(title) => summary += &format!("\n# {}\n\n", language.of(*title)),
                Entry::Chapter { path, title, .. } => {
                    let file = entry.file(language).expect("a chapter has a file");
                    let text = fs::read_to_string(self.root.join(&file)).with_context(|| format!("cannot read {file}"))?;
                    let rewrite_link = |link: &Link| self.rewrite_link(&file, language, link, files);
                    let text = rewrite(&text, &rewrite_link).with_context(|| file.clone())?;
                    let name = page_name(path);
                    fs::write(book.join("src").join(format!("{name}.md")), text)?;
                    summary += &format!("- [{}]({name}.md)\n", language.of(*title));
                }
            }
        }
        fs::write(book.join("src").join(format!("{API}.md")), self.api(language))?;
        summary += &format!("- [{}]({API}.md)\n", language.of(API_TITLE));
        fs::write(book.join("src/SUMMARY.md"), summary)?;
        fs::write(book.join("book.toml"), config(language))?;
        fs::write(book.join("site.css"), include_str!("book/site.css"))?;
        fs::write(book.join("site.js"), include_str!("book/site.js"))?;
        let made = Command::new(self.mdbook)
            .arg("build")
            .arg(&book)
            .arg("--dest-dir")
            .arg(self.site.join(language.folder()))
            .status()
            .context("cannot run mdbook")?;
        ensure!(made.success(), "mdbook failed; fix the error that it printed above");
        if language == Language::Chinese {
            let folder = self.site.join(language.folder());
            let script = paths::names(&folder)?.into_iter().find(|name| name.starts_with("elasticlunr"));
            let script = folder.join(script.context("expected mdBook to write a script named elasticlunr, got none")?);
            let searcher = fs::read_to_string(&script)? + include_str!("book/search.zh.js");
            fs::write(script, searcher)?;
        }
        Ok(())
    }

    /// Decides where a link of a page leads in one of the books, and notes the files that have to be copied for it.
    fn rewrite_link(
        &self,
        page: &str,
        book: Language,
        link: &Link,
        files: &RefCell<BTreeSet<String>>,
    ) -> anyhow::Result<Rewrite> {
        if paths::is_external(&link.destination) || link.destination.starts_with('#') {
            return Ok(Rewrite::Keep);
        }
        let (path, anchor) = paths::resolve(page, &link.destination).context("the check rejects such links")?;
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        if let Some((name, language)) = chapter(&path, book) {
            return Ok(Rewrite::To(match language {
                Some(language) if language != book => format!("../{}/{name}.html{anchor}", language.folder()),
                _ => format!("{name}.md{anchor}"),
            }));
        }
        if let Some(api) = self.api_page(&path) {
            return Ok(Rewrite::To(format!("../{api}")));
        }
        if COPIED.iter().any(|copied| path.starts_with(copied)) {
            let is_folder = self.root.join(&path).is_dir();
            let to = format!("../{FILES}/{path}{}", if is_folder { "/index.html" } else { "" });
            files.borrow_mut().insert(path);
            return Ok(Rewrite::To(to));
        }
        ensure!(!link.is_image, "line {}: expected an image in docs, got {:?}; move it there", link.line, link.destination);
        Ok(Rewrite::Unlink)
    }

    /// Returns the page of the Rust API docs for the folder or a source file of a crate, if there is one.
    fn api_page(&self, path: &str) -> Option<String> {
        let file = self.root.join(path);
        let package = self.metadata.packages.iter().find(|package| file.starts_with(package.folder()))?;
        let (name, top) = package.documented()?;
        let page = if file == package.folder() {
            format!("api/rust/{name}/index.html")
        } else {
            let within = file.strip_prefix(top.parent()?).ok()?.to_str()?.replace('\\', "/");
            format!("api/rust/src/{name}/{within}.html")
        };
        self.site.join(&page).is_file().then_some(page)
    }

    /// Copies a file into the site, or a folder with a page that lists its files.
    fn copy(&self, path: &str) -> anyhow::Result<()> {
        let (from, to) = (self.root.join(path), self.site.join(FILES).join(path));
        let include = |name: &str| !NOT_COPIED.contains(&name);
        paths::copy(&from, &to, &include)?;
        if from.is_dir() {
            let files = paths::files(&from, "", &include)?;
            let line = |file: &String| format!("<li><a href=\"{0}\">{0}</a></li>\n", html::escape(file));
            let list: String = files.iter().map(line).collect();
            let title = html::escape(path);
            let home = "../".repeat(path.split('/').count() + 1);
            let body = format!("<p><a href=\"{home}index.html\">pacman2</a></p>\n<h1>{title}</h1>\n<ul>\n{list}</ul>\n");
            fs::write(to.join("index.html"), html::page(path, "en", &body))?;
        }
        Ok(())
    }

    /// Returns the page that links to the API docs.
    fn api(&self, language: Language) -> String {
        let mut text = format!("# {}\n\n", language.of(API_TITLE));
        let apis = [
            (&self.no_rust, "rust/index.html", ["The crates in Rust", "Rust 的各个 crate"]),
            (&self.no_python, "python/pacman2.html", ["The Python package", "Python 包"]),
        ];
        for (missing, path, title) in apis {
            let title = language.of(title);
            text += &match missing {
                None => format!("- [{title}](../api/{path})\n"),
                Some(why) => format!("- {title}: {} ({why})\n", language.of(["not made", "未生成"])),
            };
        }
        text
    }

    /// Returns the start page of the site.
    fn index(&self) -> String {
        let books = [("en", "English", "Documentation"), ("zh", "中文", "文档")]
            .map(|(folder, name, what)| {
                format!("<a href=\"{folder}/index.html\" lang=\"{folder}\"><strong>{name}</strong>{what}</a>\n")
            })
            .concat();
        let api = |missing: &Option<String>, path: &str, title: &str| match missing {
            None => format!("<li><a href=\"api/{path}\">{title}</a></li>\n"),
            Some(why) => format!("<li>{title}: not made 未生成 ({})</li>\n", html::escape(why)),
        };
        let apis = api(&self.no_rust, "rust/index.html", "Rust API") + &api(&self.no_python, "python/pacman2.html", "Python API");
        let what = "Botzone&rsquo;s four-player game Pacman2 (<span lang=\"zh\">吃豆人2</span>) on your own machine";
        let body = format!("<h1>pacman2</h1>\n<p>{what}</p>\n<div class=\"books\">\n{books}</div>\n<ul>\n{apis}</ul>\n");
        html::page("pacman2", "en", &body)
    }
}

const API_TITLE: [&str; 2] = ["API reference", "API 参考"];

fn config(language: Language) -> String {
    let title = language.of(["pacman2", "pacman2 文档"]);
    let tag = language.tag();
    // Pages should read as they do in the repository, so mdBook's changes to quotes and lists are off.
    format!(
        r#"[book]
title = "{title}"
language = "{tag}"

[build]
create-missing = false
use-default-preprocessors = false

[output.html]
smart-punctuation = false
definition-lists = false
no-section-label = true
input-404 = ""
additional-css = ["site.css"]
additional-js = ["site.js"]

[output.html.playground]
runnable = false

[output.html.print]
enable = false

[output.html.search]
use-boolean-and = true
"#
    )
}

/// Returns the name of a chapter's page, which is the same in both books.
fn page_name(path: &str) -> String {
    match path.rsplit('/').next().unwrap_or(path) {
        "README" => "index".to_owned(),
        name => name.to_lowercase(),
    }
}

/// Returns the page name and the language of the chapter with this file. A chapter in one language belongs to both books: None.
fn chapter(path: &str, book: Language) -> Option<(String, Option<Language>)> {
    for entry in CONTENTS {
        let Entry::Chapter { path: stem, .. } = entry else { continue };
        let [english, chinese] = Language::ALL.map(|language| entry.file(language));
        if english == chinese && english.as_deref() == Some(path) {
            return Some((page_name(stem), None));
        }
        for language in [book, book.other()] {
            if entry.file(language).as_deref() == Some(path) {
                return Some((page_name(stem), Some(language)));
            }
        }
    }
    None
}

/// Rewrites a page for a book: its links, the anchors of its headings as on GitHub, and line ends in Chinese text.
fn rewrite(text: &str, rewrite_link: &dyn Fn(&Link) -> anyhow::Result<Rewrite>) -> anyhow::Result<String> {
    let page = Page::parse(text);
    let mut edits: Vec<(Range<usize>, String)> = vec![];
    for heading in &page.headings {
        if heading.inner.is_empty() {
            continue;
        }
        // `## Heading ##` has closing marks to replace; a heading that is underlined has none.
        let end = heading.inner.end;
        let closing = text[end..heading.span.end].lines().next().unwrap_or_default();
        let replaced = if text[heading.span.clone()].starts_with('#') { end..end + closing.len() } else { end..end };
        edits.push((replaced, format!(" {{#{}}}", heading.anchor)));
    }
    for link in &page.links {
        let (before, after) = (link.span.start..link.inner.start, link.inner.end..link.span.end);
        match rewrite_link(link)? {
            Rewrite::Keep => {}
            _ if link.is_html => {
                bail!("line {}: expected a link in Markdown, got one in HTML; write it in Markdown", link.line)
            }
            Rewrite::To(to) if link.title.is_empty() => edits.push((after, format!("]({to})"))),
            Rewrite::To(to) => edits.push((after, format!("]({to} {:?})", link.title))),
            Rewrite::Unlink => edits.extend([(before, String::new()), (after, String::new())]),
        }
    }
    for line_end in &page.soft_breaks {
        // Browsers show a line end as a space, which is wrong between Chinese characters.
        let (before, after) =
            (text[..line_end.start].trim_end_matches(' '), text[line_end.end..].trim_start_matches([' ', '\n']));
        let [left, right] = [before.chars().next_back(), after.chars().next()].map(Kind::of);
        let is_within_chinese = left == Kind::Character && right == Kind::Character;
        if after.starts_with('>') {
            // The mark of a quotation has to stay at the beginning of a line.
            continue;
        }
        if is_within_chinese || left == Kind::Punctuation || right == Kind::Punctuation {
            edits.push((before.len()..text.len() - after.len(), String::new()));
        }
    }
    // Edits never overlap, even where links are nested: they replace only the marks around a text.
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    let mut rewritten = String::new();
    let mut end = 0;
    for (place, new) in edits {
        rewritten += &text[end..place.start];
        rewritten += &new;
        end = place.end;
    }
    rewritten += &text[end..];
    Ok(rewritten)
}

/// The kind of a character, which decides about spaces beside it.
#[derive(PartialEq)]
enum Kind {
    /// A Chinese character
    Character,
    /// Chinese punctuation, which contains its own space
    Punctuation,
    Other,
}

impl Kind {
    fn of(c: Option<char>) -> Kind {
        match c {
            Some('\u{3001}'..='\u{301f}' | '\u{ff01}'..='\u{ff60}') => Kind::Punctuation,
            Some('\u{2e80}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}') => Kind::Character,
            _ => Kind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_rewritten() {
        let rewrite_link = |link: &Link| {
            Ok(match link.destination.as_str() {
                "gone" => Rewrite::Unlink,
                "stays" => Rewrite::Keep,
                to => Rewrite::To(format!("new/{to}")),
            })
        };
        let text =
            "# A [`b`](c) #\n\nUnder\n=====\n\n[x](stays) [*y*](gone) [![i](j)](k \"t\") [r][1]\n\n    # [no](link)\n\n[1]: z\n";
        let expected = "# A [`b`](new/c) {#a-b}\n\nUnder {#under}\n=====\n\n[x](stays) *y* [![i](new/j)](new/k \"t\") [r](new/z)\n\n    # [no](link)\n\n[1]: z\n";
        assert_eq!(rewrite(text, &rewrite_link).unwrap(), expected);
    }

    #[test]
    fn chinese_lines_are_joined_without_a_space() {
        let joined = |text| rewrite(text, &|_: &Link| Ok(Rewrite::Keep)).unwrap();
        assert_eq!(joined("- 甲\n  乙，\n  `b`（\n  c\n  d\n  丁\n"), "- 甲乙，`b`（c\n  d\n  丁\n");
        assert_eq!(joined("> 甲，\n> 乙\n"), "> 甲，\n> 乙\n");
        assert_eq!(joined("```text\n甲\n乙\n```\n"), "```text\n甲\n乙\n```\n");
    }

    #[test]
    fn chapters_are_found_by_their_files() {
        use Language::{Chinese, English};
        assert_eq!(chapter("README.zh.md", English), Some(("index".to_owned(), Some(Chinese))));
        assert_eq!(chapter("docs/RULES.md", English), Some(("rules".to_owned(), Some(English))));
        assert_eq!(chapter("CHANGELOG.md", Chinese), Some(("changelog".to_owned(), None)));
        assert_eq!(chapter("docs/NONE.md", English), None);
    }
}
