//! Checks the sections of the header, on which `pacman2 bundle` relies: their marks, and that each compiles with what it needs.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, ensure};

use super::compiler::{self, Compiler};

pub(super) fn check() -> anyhow::Result<()> {
    let path = compiler::folder().join("pacman2.hpp");
    let header = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let sections = read(&header)?;
    ensure!(!sections.is_empty(), "{} has no sections", path.display());
    check_names(&sections)?;
    let compiler = Compiler::find()?;
    for section in &sections {
        let needed = closure(&sections, section);
        let text: String = needed.iter().flat_map(|section| section.lines.iter().flat_map(|line| [*line, "\n"])).collect();
        let source = compiler.folder().join(format!("{}.cpp", section.name));
        fs::write(&source, text)?;
        // The drop-in layer is for older compilers, too.
        let standards: &[&str] = if section.name == "compat" { &["-std=c++11", "-std=c++17"] } else { &["-std=c++17"] };
        for standard in standards {
            compiler.check(&source, &[standard]).with_context(|| format!("the section {} alone", section.name))?;
        }
    }
    println!("all {} sections of the header compile with what they need", sections.len());
    Ok(())
}

struct Section<'a> {
    name: &'a str,
    needs: Vec<&'a str>,
    names: Vec<&'a str>,
    lines: Vec<&'a str>,
}

/// Reads the sections, which stand in the order of their needs.
fn read(header: &str) -> anyhow::Result<Vec<Section<'_>>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut open = false;
    for line in header.lines() {
        let mark = |begin| line.strip_prefix(begin).and_then(|rest: &str| rest.strip_suffix(']'));
        if let Some(mark) = mark("// [pacman2:section ") {
            let parts = mark.split_once(" needs: ").and_then(|(name, rest)| Some((name, rest.split_once("; names: ")?)));
            let (name, (needs, names)) = parts.with_context(|| format!("expected a section's needs and names, got {line}"))?;
            let section = Section { name, needs: list(needs), names: list(names), lines: Vec::new() };
            let above = |need: &&&str| sections.iter().any(|section| section.name == **need);
            let missing = section.needs.iter().find(|need| !above(need));
            ensure!(!open && missing.is_none(), "the section {name} begins inside another, or needs {missing:?} from below");
            sections.push(section);
            open = true;
        } else if let Some(names) = mark("// [pacman2:names ") {
            sections.last_mut().filter(|_| open).context("names outside a section")?.names.extend(list(names));
        } else if let Some(name) = mark("// [pacman2:end ") {
            let ends = open && sections.last().is_some_and(|section| section.name == name);
            ensure!(ends, "the section {name} ends but was not begun");
            open = false;
        } else if open && let Some(section) = sections.last_mut() {
            section.lines.push(line);
        }
    }
    ensure!(!open, "the last section does not end");
    Ok(sections)
}

/// Splits a list at its commas; `-` is the empty list.
fn list(text: &str) -> Vec<&str> {
    if text == "-" { Vec::new() } else { text.split(", ").collect() }
}

/// Checks that each name is in its section, and in no other section's list.
fn check_names(sections: &[Section<'_>]) -> anyhow::Result<()> {
    let mut owners = BTreeMap::new();
    for section in sections {
        for name in &section.names {
            let is_word = |word: &str| word == *name;
            let mut words =
                section.lines.iter().flat_map(|line| line.split(|symbol: char| !symbol.is_alphanumeric() && symbol != '_'));
            ensure!(words.any(is_word), "the section {} does not contain {name}", section.name);
            let other = owners.insert(name, section.name);
            ensure!(other.is_none(), "{name} is listed in the sections {other:?} and {}", section.name);
        }
    }
    Ok(())
}

/// Returns a section and all that it needs, in the order of the header.
fn closure<'a>(sections: &'a [Section<'a>], section: &Section<'_>) -> Vec<&'a Section<'a>> {
    let mut wanted = vec![section.name];
    let mut needed = Vec::new();
    for section in sections.iter().rev() {
        if wanted.contains(&section.name) {
            wanted.extend(&section.needs);
            needed.push(section);
        }
    }
    needed.reverse();
    needed
}
