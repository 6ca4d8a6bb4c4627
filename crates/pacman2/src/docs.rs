//! `pacman2 docs`: opens the documentation, which the program contains, as one page.

use std::io::{self, Write};
use std::process::ExitCode;

use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::files;
use pacman2_console::language::{is_chinese, locale};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::args::DocsArgs;
use crate::viewer;

/// A part of the documentation: its name, and its text.
struct Part {
    name: &'static str,
    text: Bilingual<&'static str>,
}

macro_rules! part {
    ($name:literal, $path:literal) => {
        Part {
            name: $name,
            text: Bilingual {
                zh: include_str!(concat!("../../../", $path, ".zh.md")),
                en: include_str!(concat!("../../../", $path, ".md")),
            },
        }
    };
}

/// The parts in the order of the documentation site.
static PARTS: [Part; 22] = [
    part!("readme", "README"),
    part!("guide", "docs/GUIDE"),
    part!("rules", "docs/RULES"),
    part!("rulings", "docs/RULINGS"),
    part!("protocol", "docs/PROTOCOL"),
    part!("lessons", "docs/LESSONS"),
    part!("authors", "docs/AUTHORS"),
    part!("botzone", "docs/BOTZONE"),
    part!("bots", "docs/BOTS"),
    part!("training", "docs/TRAINING"),
    part!("cpp", "docs/CPP"),
    part!("python", "docs/PYTHON"),
    part!("viewer", "docs/VIEWER"),
    part!("replay", "docs/REPLAY"),
    part!("json", "docs/JSON"),
    part!("analyse", "docs/ANALYSE"),
    part!("security", "docs/SECURITY"),
    part!("arena", "docs/ARENA"),
    part!("classes", "docs/CLASSES"),
    part!("contest", "docs/CONTEST"),
    part!("scale", "docs/SCALE"),
    part!("performance", "docs/PERFORMANCE"),
];

const HEAD: &str = "\
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>pacman2</title>
<style>
:root { color-scheme: light dark }
body { display: flex; margin: 0; font: 16px/1.6 sans-serif }
nav { position: sticky; top: 0; height: 100vh; box-sizing: border-box; padding: 1em; overflow: auto; flex: 0 0 16em }
nav ul { padding-left: 1em }
main { max-width: 52em; min-width: 0; padding: 0 2em }
section { border-bottom: 1px solid gray; padding-bottom: 2em }
pre { overflow: auto; padding: .7em; background: #8882 }
table { display: block; overflow: auto; border-collapse: collapse }
td, th { border: 1px solid gray; padding: .2em .5em; text-align: left }
@media (max-width: 50em) { body { display: block } nav { position: static; height: auto } }
</style>
";

/// Returns the names of all parts.
pub(crate) fn names() -> [&'static str; 22] {
    PARTS.each_ref().map(|part| part.name)
}

pub(crate) fn run(args: &DocsArgs) -> anyhow::Result<ExitCode> {
    let file = viewer::place_for_page()?;
    files::write(&file, &rendered(locale()))?;
    match &args.part {
        Some(name) => viewer::open(viewer::url_at(&file, &name.to_lowercase()), file.display()),
        None => viewer::open(&file, file.display()),
    }
    writeln!(io::stdout(), "{}", file.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns all parts in a language as one page in HTML.
fn rendered(language: Locale) -> String {
    let mut contents = String::new();
    let mut sections = String::new();
    for part in &PARTS {
        let text = part.text.in_language(language);
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        contents += &format!("- [{title}](#{})\n", part.name);
        sections += &format!("<section id=\"{}\">\n", part.name);
        html::push_html(&mut sections, events(part.name, &without_links(text)).into_iter());
        sections += "</section>\n";
    }
    let mut nav = String::new();
    html::push_html(&mut nav, Parser::new(&contents));
    let code = if language == Locale::Chinese { "zh" } else { "en" };
    format!("<!doctype html>\n<html lang=\"{code}\">\n{HEAD}<nav>{nav}</nav>\n<main>{sections}</main>\n</html>\n")
}

/// Returns a part of the page from its text: links lead to other places of the page, and there are no pictures.
fn events<'a>(name: &str, text: &'a str) -> Vec<Event<'a>> {
    let all: Vec<Event> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut kept = vec![];
    let (mut is_in_picture, mut is_in_link) = (false, false);
    for (at, event) in all.iter().enumerate() {
        let event = match event {
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
                is_in_picture = !is_in_picture;
                continue;
            }
            _ if is_in_picture => continue,
            Event::Start(Tag::Link { dest_url, title, id, link_type }) => {
                let Some(to) = address(name, dest_url) else { continue };
                is_in_link = true;
                Event::Start(Tag::Link { dest_url: to.into(), title: title.clone(), id: id.clone(), link_type: *link_type })
            }
            Event::End(TagEnd::Link) if !is_in_link => continue,
            Event::End(TagEnd::Link) => {
                is_in_link = false;
                event.clone()
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let id = format!("{name}-{}", slug(&all[at + 1..]));
                Event::Start(Tag::Heading { level: *level, id: Some(id.into()), classes: vec![], attrs: vec![] })
            }
            Event::SoftBreak if is_between_chinese(&all, at) => continue,
            _ => event.clone(),
        };
        kept.push(event);
    }
    kept
}

/// Returns the text of a part without the paragraph of links to related pages and to the other language.
fn without_links(text: &str) -> String {
    let is_kept = |paragraph: &&str| !["[中文](", "[English]("].iter().any(|link| paragraph.starts_with(link));
    text.split("\n\n").filter(is_kept).collect::<Vec<_>>().join("\n\n")
}

/// Returns where a link in a part leads, or nothing if the page contains no such place.
fn address(name: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return Some(link.to_owned());
    }
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let file = path.rsplit('/').next()?.trim_end_matches(".md").trim_end_matches(".zh").to_lowercase();
    let to = if path.is_empty() { name } else { names().into_iter().find(|part| *part == file)? };
    Some(heading.map_or_else(|| format!("#{to}"), |heading| format!("#{to}-{heading}")))
}

/// Returns a heading as addresses write it.
fn slug(events: &[Event]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let text = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    text.collect::<String>().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns whether a line ends between Chinese characters, where a browser would show a space.
fn is_between_chinese(all: &[Event], at: usize) -> bool {
    match (&all[at - 1], &all[at + 1]) {
        (Event::Text(before), Event::Text(after)) => before.ends_with(is_chinese) && after.starts_with(is_chinese),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn the_parts_are_the_pages_of_the_site() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let config = fs::read_to_string(format!("{root}/mkdocs.yml")).unwrap();
        let of_site = config.split("\nnav:\n").nth(1).unwrap().lines().filter_map(|line| line.trim().strip_prefix("- "));
        // The last ones are for contributors.
        let of_site: Vec<&str> = of_site.filter_map(|page| page.strip_suffix(".md")).take(PARTS.len()).collect();
        assert_eq!(names().map(str::to_uppercase).to_vec(), of_site);
        let in_folder = fs::read_dir(format!("{root}/docs")).unwrap();
        let in_folder = in_folder.filter(|file| file.as_ref().unwrap().path().to_string_lossy().ends_with(".zh.md"));
        // README is not there.
        assert_eq!(in_folder.count(), PARTS.len() - 1);
    }

    #[test]
    fn each_link_leads_to_a_place_of_the_page() {
        for language in [Locale::English, Locale::Chinese] {
            let page = rendered(language);
            let after =
                |mark: &str| page.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap()).collect::<BTreeSet<_>>();
            let (ids, links) = (after(" id=\""), after(" href=\"#"));
            // Addresses write Chinese characters as bytes.
            let lost: Vec<String> = links
                .iter()
                .map(|link| percent_encoding::percent_decode_str(link).decode_utf8().unwrap().into_owned())
                .filter(|link| !ids.contains(link.as_str()))
                .collect();
            assert!(links.len() > 100 && lost.is_empty(), "{lost:?}");
            assert!(page.contains("<table>") && !page.contains("<img"));
        }
    }

    #[test]
    fn chinese_lines_are_joined_without_a_space() {
        let mut page = String::new();
        html::push_html(
            &mut page,
            events("x", &without_links("# 题\n\n[English](X.md) · [a](b.md)\n\n一行\n二行 a\nb\n")).into_iter(),
        );
        assert_eq!(page, "<h1 id=\"x-题\">题</h1>\n<p>一行二行 a\nb</p>\n");
    }
}
