//! Parses a Markdown page into its headings, links and code blocks, with their places.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::html;

/// A Markdown page, parsed.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    pub(super) blocks: Vec<Block>,
    /// The places of line ends within paragraphs.
    pub(super) soft_breaks: Vec<Range<usize>>,
    /// Anchors that are set in HTML.
    html_anchors: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Heading {
    pub(super) level: u8,
    /// The anchor that GitHub gives it.
    pub(super) anchor: String,
    pub(super) line: usize,
    /// The place of the heading with its marks.
    pub(super) span: Range<usize>,
    /// The place of its text.
    pub(super) inner: Range<usize>,
}

/// A link or an image.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) destination: String,
    pub(super) title: String,
    pub(super) is_image: bool,
    /// Whether it is written in HTML; then both places are empty.
    pub(super) is_html: bool,
    pub(super) line: usize,
    /// The place of the link with its marks.
    pub(super) span: Range<usize>,
    /// The place of its text.
    pub(super) inner: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Block {
    /// The first word after the fence, which may be empty; None if the block is indented.
    pub(super) language: Option<String>,
    pub(super) line: usize,
}

impl Page {
    pub(super) fn parse(text: &str) -> Page {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_GFM;
        let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let line = |at: usize| lines.partition_point(|&end| end < at) + 1;
        let mut page = Page::default();
        let mut anchors = Anchors::default();
        // The text so far of the open heading, and the indices of the open links.
        let mut heading: Option<String> = None;
        let mut open_links: Vec<usize> = vec![];
        for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
            // Everything between the marks of a heading or a link is its text.
            if heading.is_some() && !matches!(event, Event::End(TagEnd::Heading(_))) {
                cover(&mut page.headings.last_mut().expect("a heading is open").inner, &span);
            }
            let inside = open_links.len() - usize::from(matches!(event, Event::End(TagEnd::Link | TagEnd::Image)));
            for &link in &open_links[..inside] {
                cover(&mut page.links[link].inner, &span);
            }
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let (line, inner) = (line(span.start), 0..0);
                    page.headings.push(Heading { level: level as u8, anchor: String::new(), line, span, inner });
                    heading = Some(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let heading = heading.take().expect("a heading was open");
                    page.headings.last_mut().expect("a heading was open").anchor = anchors.of(&heading);
                }
                Event::Start(Tag::Link { dest_url, title, .. }) => {
                    open_links.push(page.links.len());
                    let (line, inner) = (line(span.start), 0..0);
                    let (destination, title) = (dest_url.into_string(), title.into_string());
                    page.links.push(Link { destination, title, is_image: false, is_html: false, line, span, inner });
                }
                Event::Start(Tag::Image { dest_url, title, .. }) => {
                    open_links.push(page.links.len());
                    let (line, inner) = (line(span.start), 0..0);
                    let (destination, title) = (dest_url.into_string(), title.into_string());
                    page.links.push(Link { destination, title, is_image: true, is_html: false, line, span, inner });
                }
                Event::End(TagEnd::Link | TagEnd::Image) => {
                    let link = &mut page.links[open_links.pop().expect("a link was open")];
                    if link.inner.is_empty() {
                        let text = link.span.start + if link.is_image { "![".len() } else { "[".len() };
                        link.inner = text..text;
                    }
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Indented => None,
                        CodeBlockKind::Fenced(info) => {
                            let word = info.split([',', ' ', '\t']).next().unwrap_or_default();
                            Some(word.to_owned())
                        }
                    };
                    page.blocks.push(Block { language, line: line(span.start) });
                }
                Event::Html(markup) | Event::InlineHtml(markup) => page.read_html(&markup, line(span.start)),
                Event::Text(words) | Event::Code(words) => {
                    // The alternative text of an image is not part of an anchor.
                    let in_image = open_links.iter().any(|&link| page.links[link].is_image);
                    if let Some(heading) = heading.as_mut().filter(|_| !in_image) {
                        heading.push_str(&words);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if event == Event::SoftBreak {
                        page.soft_breaks.push(span);
                    }
                    if let Some(heading) = &mut heading {
                        heading.push(' ');
                    }
                }
                _ => {}
            }
        }
        page
    }

    fn read_html(&mut self, markup: &str, line: usize) {
        for attribute in html::attributes(markup) {
            match attribute.name.as_str() {
                "id" | "name" => self.html_anchors.push(attribute.value),
                "href" | "src" => self.links.push(Link {
                    destination: attribute.value,
                    title: String::new(),
                    is_image: attribute.name == "src",
                    is_html: true,
                    line,
                    span: 0..0,
                    inner: 0..0,
                }),
                _ => {}
            }
        }
    }

    /// Returns all anchors of the page.
    pub(super) fn anchors(&self) -> impl Iterator<Item = &str> {
        self.headings.iter().map(|heading| &heading.anchor).chain(&self.html_anchors).map(String::as_str)
    }
}

/// Extends a span to cover another one.
fn cover(span: &mut Range<usize>, other: &Range<usize>) {
    *span = if (*span).is_empty() { other.clone() } else { span.start.min(other.start)..span.end.max(other.end) };
}

/// Gives anchors to the headings of a page by the rules of GitHub.
#[derive(Default)]
struct Anchors {
    used: HashMap<String, usize>,
}

impl Anchors {
    /// Lower case; keeps letters, digits, `_` and `-`, turns spaces into `-` and drops the rest. Equal anchors get a number.
    fn of(&mut self, heading: &str) -> String {
        let anchor: String = heading
            .trim()
            .chars()
            .flat_map(char::to_lowercase)
            .filter(|&c| c.is_alphanumeric() || "_- ".contains(c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let mut unique = anchor.clone();
        while self.used.contains_key(&unique) {
            let count = self.used.entry(anchor.clone()).or_default();
            *count += 1;
            unique = format!("{anchor}-{count}");
        }
        self.used.insert(unique.clone(), 0);
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(text: &str) -> Vec<String> {
        Page::parse(text).anchors().map(str::to_owned).collect()
    }

    #[test]
    fn anchors_are_githubs() {
        assert_eq!(anchors("# What a bot's *overlay* `is_called`: 1. & 2.\n"), ["what-a-bots-overlay-is_called-1--2"]);
        assert_eq!(anchors("## `pacman2 simulate`\n"), ["pacman2-simulate"]);
        assert_eq!(anchors("## 谁可以做什么？（在 Linux 上）\n"), ["谁可以做什么在-linux-上"]);
        assert_eq!(anchors("## [Data](x.md) and\n`globaldata`\n===\n"), ["data-and", "globaldata"]);
        assert_eq!(anchors("# A\n# A\n# A-1\n# A\n"), ["a", "a-1", "a-1-1", "a-2"]);
        assert_eq!(anchors("<a id=\"here\"></a>\n\nText <i name='there'>\n"), ["here", "there"]);
    }

    #[test]
    fn links_have_their_places() {
        let text = "See [the *rules*](RULES.md \"all\"), ![](a.png) and [this][1].\n\n[1]: x.md#y\n\n    [no](link)\n";
        let page = Page::parse(text);
        let places: Vec<_> = page.links.iter().map(|link| (&text[link.inner.clone()], link.destination.as_str())).collect();
        assert_eq!(places, [("the *rules*", "RULES.md"), ("", "a.png"), ("this", "x.md#y")]);
        assert_eq!(&text[page.links[0].span.clone()], "[the *rules*](RULES.md \"all\")");
        assert_eq!(page.links[0].title, "all");
    }

    #[test]
    fn blocks_have_languages() {
        let page = Page::parse("```rust,no_run\n```\n\n    indented\n\n```\n```\n");
        let languages: Vec<_> = page.blocks.iter().map(|block| (block.language.as_deref(), block.line)).collect();
        assert_eq!(languages, [(Some("rust"), 1), (None, 4), (Some(""), 6)]);
    }
}
