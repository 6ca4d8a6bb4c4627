//! The sections of the header `pacman2.hpp`, of which a bundle keeps those that the bot uses.
//!
//! ```text
//! // [pacman2:section NAME needs: A, B; names: X, Y]
//! // [pacman2:names Z]
//! …
//! // [pacman2:end NAME]
//! ```

use std::collections::BTreeSet;

/// The section that every other one needs.
const BASE: &str = "base";
const BEGIN: &str = "// [pacman2:section ";
const NAMES: &str = "// [pacman2:names ";
const END: &str = "// [pacman2:end ";

/// A header with sections.
pub(super) struct Header<'a> {
    parts: Vec<Part<'a>>,
}

/// A part of a header: some of its lines.
struct Part<'a> {
    /// `None` between the sections.
    section: Option<Section<'a>>,
    lines: Vec<&'a str>,
}

struct Section<'a> {
    name: &'a str,
    needs: Vec<&'a str>,
    names: Vec<&'a str>,
}

/// What is wrong with the marks of a header.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct HeaderError {
    line: usize,
    what: &'static str,
}

impl<'a> Header<'a> {
    /// Returns whether a text is a header with sections.
    pub(super) fn is_one(text: &str) -> bool {
        text.lines().any(|line| line.starts_with(BEGIN))
    }

    /// Reads the sections.
    ///
    /// # Errors
    ///
    /// If a section does not end, begins within another, or needs one that does not stand above it.
    pub(super) fn read(text: &'a str) -> Result<Header<'a>, HeaderError> {
        let mut parts = vec![Part { section: None, lines: Vec::new() }];
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let wrong = |what| HeaderError { line: number, what };
            let mark = line.trim_end();
            let last = parts.last_mut().expect("there is one");
            if let Some(mark) = mark.strip_prefix(BEGIN) {
                if last.section.is_some() {
                    return Err(wrong("a section begins within another"));
                }
                let section = Section::read(mark).ok_or(wrong("expected [pacman2:section NAME needs: A, B; names: X, Y]"))?;
                if !section.needs.iter().all(|need| known.contains(need)) {
                    return Err(wrong("a section needs one that does not stand above it"));
                }
                known.insert(section.name);
                parts.push(Part { section: Some(section), lines: Vec::new() });
            } else if let Some(mark) = mark.strip_prefix(NAMES) {
                let section = last.section.as_mut().ok_or(wrong("names stand in no section"))?;
                section.names.extend(list(mark.strip_suffix(']').ok_or(wrong("expected [pacman2:names X, Y]"))?));
            } else if let Some(mark) = mark.strip_prefix(END) {
                let is_same = last.section.as_ref().is_some_and(|section| mark.strip_suffix(']') == Some(section.name));
                if !is_same {
                    return Err(wrong("the end of a section that did not begin"));
                }
                parts.push(Part { section: None, lines: Vec::new() });
            } else {
                last.lines.push(line);
            }
        }
        match parts.last() {
            Some(Part { section: None, .. }) => Ok(Header { parts }),
            _ => Err(HeaderError { line: text.lines().count(), what: "a section does not end" }),
        }
    }

    /// Returns the names of the sections that a bot needs which uses these identifiers, in their order.
    pub(super) fn needed(&self, is_used: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let mut needed: BTreeSet<&str> = BTreeSet::from([BASE]);
        let sections: Vec<&Section> = self.parts.iter().filter_map(|part| part.section.as_ref()).collect();
        // From the last on, because each needs only sections above it.
        for section in sections.iter().rev() {
            if needed.contains(section.name) || section.names.iter().any(|name| is_used(name)) {
                needed.insert(section.name);
                needed.extend(&section.needs);
            }
        }
        sections.iter().map(|section| section.name).filter(|name| needed.contains(name)).collect()
    }

    /// Returns the header with these sections only, without the marks.
    pub(super) fn with(&self, needed: &[&str]) -> String {
        let is_kept = |part: &&Part| part.section.as_ref().is_none_or(|section| needed.contains(&section.name));
        let mut text = String::new();
        for part in self.parts.iter().filter(is_kept) {
            for line in &part.lines {
                // Sections that are left out leave the lines between them.
                if !(line.trim().is_empty() && text.ends_with("\n\n")) {
                    text.push_str(line);
                }
            }
        }
        text
    }
}

impl<'a> Section<'a> {
    fn read(mark: &'a str) -> Option<Section<'a>> {
        let (name, rest) = mark.strip_suffix(']')?.split_once(" needs: ")?;
        let (needs, names) = rest.split_once("; names: ")?;
        Some(Section { name, needs: list(needs).collect(), names: list(names).collect() })
    }
}

/// Reads a list with commas; `-` is an empty one.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty() && *item != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// SPDX
#ifndef H

// [pacman2:section base needs: -; names: -]
base
// [pacman2:end base]

// [pacman2:section json needs: base; names: json, Value]
json
// [pacman2:end json]

// [pacman2:section io needs: base, json; names: read_input]
// [pacman2:names write_output, Turn]
io
// [pacman2:end io]

// [pacman2:section search needs: base; names: search]
search
// [pacman2:end search]

#endif
";

    fn bundled(used: &[&str]) -> String {
        let header = Header::read(TEXT).unwrap();
        let needed = header.needed(|name| used.contains(&name));
        header.with(&needed).replace('\n', " ")
    }

    #[test]
    fn sections_that_are_used_and_what_they_need_stay() {
        assert_eq!(bundled(&[]), "// SPDX #ifndef H  base  #endif ");
        assert_eq!(bundled(&["search", "jason"]), "// SPDX #ifndef H  base  search  #endif ");
        assert_eq!(bundled(&["Turn"]), "// SPDX #ifndef H  base  json  io  #endif ");
        assert!(Header::is_one(TEXT) && !Header::is_one("int a; // [pacman2:section a"));
    }

    #[test]
    fn wrong_marks_are_rejected() {
        for (text, line) in [
            ("// [pacman2:section a needs: b; names: -]\n// [pacman2:end a]\n", 1),
            ("// [pacman2:section a needs: -; names: -]\n", 1),
            ("// [pacman2:section a needs: -; names: -]\n// [pacman2:end b]\n", 2),
            ("// [pacman2:section a]\n", 1),
            ("// [pacman2:names a]\n", 1),
            ("\n// [pacman2:end a]\n", 2),
        ] {
            assert_eq!(Header::read(text).err().map(|error| error.line), Some(line), "{text}");
        }
    }
}
