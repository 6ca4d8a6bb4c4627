//! The text of a C++ source: which bytes are code, comment or literal; its directives; and the text without comments.
//!
//! It works on bytes, as compilers do, because comments may be in any encoding.

use std::collections::BTreeSet;
use std::ops::Range;

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Code,
    Comment,
    /// A string or character, with its quotes and, if it is raw, its delimiters.
    Literal,
}

/// A text with the kind of each byte.
pub(crate) struct CppText {
    pub(crate) text: Vec<u8>,
    kinds: Vec<Kind>,
    /// Where each line but the first begins, as an editor counts lines.
    line_starts: Vec<usize>,
}

/// The name of an included file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Include {
    pub(crate) name: Vec<u8>,
    /// Whether it is in quotes; else in angle brackets.
    pub(crate) is_quoted: bool,
}

impl Include {
    /// Returns the name with which a text begins.
    pub(crate) fn at_start(text: &[u8]) -> Option<Include> {
        let (&quote, rest) = text.split_first()?;
        let is_quoted = quote == b'"';
        let end = if is_quoted { b'"' } else { b'>' };
        let name = rest.split(|&byte| byte == end || byte == b'\n').next().unwrap_or_default();
        (is_quoted || quote == b'<').then(|| Include { name: name.to_vec(), is_quoted })
    }

    /// Returns whether it is part of JsonCpp, by the names that Botzone and usual installations have for it.
    pub(crate) fn is_of_jsoncpp(&self) -> bool {
        [&b"jsoncpp/"[..], b"json/"].iter().any(|folder| self.name.starts_with(folder))
    }
}

/// A preprocessor directive.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Directive {
    /// `#include "name"` or `#include <name>`.
    Include(Include),
    /// `#include` with something else: a macro.
    IncludeComputed(Vec<u8>),
    /// `#pragma once`.
    PragmaOnce,
    /// `#embed`, which takes in a file of data.
    Embed,
    /// The beginning of a conditional.
    If(Condition),
    Else,
    ElseIf,
    EndIf,
    /// `#define NAME`.
    Define(Vec<u8>),
    /// `#undef NAME`.
    Undefine(Vec<u8>),
    Other,
}

/// When the lines of a conditional count.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// `#ifdef NAME` or `#if defined(NAME)`.
    Defined(Vec<u8>),
    /// `#ifndef NAME` or `#if !defined(NAME)`.
    Undefined(Vec<u8>),
    /// `#if 0`.
    Never,
    Other,
}

impl CppText {
    pub(crate) fn new(text: Vec<u8>) -> CppText {
        let kinds = kinds(&text);
        let line_starts = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1).collect();
        CppText { text, kinds, line_starts }
    }

    /// Returns the logical lines: each goes on behind a backslash, a comment or a literal that spans lines. Each has its line end.
    pub(crate) fn lines(&self) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for (at, &byte) in self.text.iter().enumerate() {
            if byte == b'\n' && self.kinds[at] == Kind::Code && !ends_with_backslash(&self.text[start..at]) {
                lines.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < self.text.len() {
            lines.push(start..self.text.len());
        }
        lines
    }

    /// Returns the number of the line that contains this byte, from 1.
    pub(crate) fn line_number(&self, at: usize) -> usize {
        1 + self.line_starts.partition_point(|&start| start <= at)
    }

    /// Returns the directive of a logical line; `None` if it is code.
    pub(crate) fn directive(&self, line: &Range<usize>) -> Option<Directive> {
        let mut at = self.skip_blanks(line.start, line.end);
        if at >= line.end || self.text[at] != b'#' || self.kinds[at] != Kind::Code {
            return None;
        }
        at = self.skip_blanks(at + 1, line.end);
        let name = self.word(at, line.end);
        at = self.skip_blanks(name.end, line.end);
        let rest = &self.text[at..line.end];
        let macro_name = || self.text[self.word(at, line.end)].to_vec();
        Some(match &self.text[name] {
            b"include" | b"include_next" | b"import" => match Include::at_start(rest) {
                Some(include) => Directive::Include(include),
                None => Directive::IncludeComputed(rest.trim_ascii().to_vec()),
            },
            b"pragma" if macro_name() == b"once" => Directive::PragmaOnce,
            b"embed" => Directive::Embed,
            b"if" => Directive::If(self.condition(at..line.end)),
            b"ifdef" => Directive::If(Condition::Defined(macro_name())),
            b"ifndef" => Directive::If(Condition::Undefined(macro_name())),
            b"else" => Directive::Else,
            b"elif" | b"elifdef" | b"elifndef" => Directive::ElseIf,
            b"endif" => Directive::EndIf,
            b"define" => Directive::Define(macro_name()),
            b"undef" => Directive::Undefine(macro_name()),
            _ => Directive::Other,
        })
    }

    /// Reads the condition of `#if`.
    fn condition(&self, rest: Range<usize>) -> Condition {
        let code: Vec<u8> = rest.filter(|&at| self.kinds[at] == Kind::Code).map(|at| self.text[at]).collect();
        let code = String::from_utf8_lossy(&code).replace(['(', ')'], " ").replace('!', " ! ");
        match code.split_whitespace().collect::<Vec<_>>()[..] {
            ["0"] => Condition::Never,
            ["defined", name] => Condition::Defined(name.into()),
            ["!", "defined", name] => Condition::Undefined(name.into()),
            _ => Condition::Other,
        }
    }

    /// Returns the names of all files that it includes, also those in conditionals, and of all that it has macros for. Whether they
    /// are used is not known here.
    pub(crate) fn includes(&self) -> BTreeSet<Include> {
        let include = |line: Range<usize>| match self.directive(&line)? {
            Directive::Include(include) => Some(include),
            Directive::Define(_) => self.defined_file(&line),
            _ => None,
        };
        self.lines().into_iter().filter_map(include).collect()
    }

    /// Returns the name of the file of C++ for which a line defines a macro.
    fn defined_file(&self, line: &Range<usize>) -> Option<Include> {
        const EXTENSIONS: [&[u8]; 8] = [b".h", b".hh", b".hpp", b".hxx", b".inc", b".ipp", b".cpp", b".cc"];

        let after_word = |at| self.word(self.skip_blanks(at, line.end), line.end).end;
        let hash = self.skip_blanks(line.start, line.end);
        let name_end = after_word(after_word(hash + 1));
        let include = Include::at_start(&self.text[self.skip_blanks(name_end, line.end)..line.end])?;
        EXTENSIONS.iter().any(|extension| include.name.ends_with(extension)).then_some(include)
    }

    /// Returns whether it may be a program of its own: it has the word `main`.
    pub(crate) fn defines_main(&self) -> bool {
        let mut has_main = false;
        self.each_identifier(|word| has_main |= word == b"main");
        has_main
    }

    /// Returns whether a logical line has neither code nor literals.
    pub(crate) fn is_blank(&self, line: &Range<usize>) -> bool {
        self.skip_blanks(line.start, line.end) >= line.end
    }

    /// Returns a logical line without comments and with one space for any blanks.
    pub(crate) fn spaced(&self, line: &Range<usize>) -> Vec<u8> {
        let mut spaced = Vec::with_capacity(line.len());
        let mut at = self.skip_blanks(line.start, line.end);
        while at < line.end {
            let next = if self.kinds[at] == Kind::Literal { at } else { self.skip_blanks(at, line.end) };
            spaced.push(if next > at { b' ' } else { self.text[at] });
            at = next.max(at + 1);
        }
        spaced.trim_ascii_end().to_vec()
    }

    /// Calls this with each identifier of the code.
    pub(crate) fn each_identifier<'a>(&'a self, mut see: impl FnMut(&'a [u8])) {
        let mut at = 0;
        while at < self.text.len() {
            let word = self.word(at, self.text.len());
            if word.is_empty() {
                at += 1;
                continue;
            }
            if !self.text[at].is_ascii_digit() {
                see(&self.text[word.clone()]);
            }
            at = word.end;
        }
    }

    /// Returns the contents of ordinary strings, with the places where they begin.
    pub(crate) fn strings(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let starts = (0..self.text.len())
            .filter(|&at| self.kinds[at] == Kind::Literal && (at == 0 || self.kinds[at - 1] != Kind::Literal));
        starts.filter_map(|start| {
            let end = (start..self.text.len()).find(|&at| self.kinds[at] != Kind::Literal).unwrap_or(self.text.len());
            let inside = self.text[start..end].strip_prefix(b"\"")?.strip_suffix(b"\"")?;
            Some((start, inside))
        })
    }

    /// Returns the text without comments, except those with a licence, and without the lines that become empty.
    pub(crate) fn without_comments(&self) -> Vec<u8> {
        let mut stripped: Vec<u8> = Vec::with_capacity(self.text.len());
        // Where the current line begins in the result, and whether it had a comment.
        let (mut line, mut had_comment) = (0, false);
        let mut at = 0;
        while at < self.text.len() {
            if self.kinds[at] == Kind::Comment {
                let end = self.end_of_comment(at);
                let comment = &self.text[at..end];
                if has_licence(comment) {
                    stripped.extend_from_slice(comment);
                } else {
                    had_comment = true;
                    stripped.push(b' ');
                }
                at = end;
                continue;
            }
            if self.text[at] == b'\n' && self.kinds[at] == Kind::Code {
                let trimmed = stripped[line..].trim_ascii_end().len();
                if trimmed == 0 && had_comment {
                    stripped.truncate(line);
                } else if !ends_with_backslash(&stripped[line..]) {
                    stripped.truncate(line + trimmed);
                    stripped.push(b'\n');
                } else {
                    stripped.push(b'\n');
                }
                (line, had_comment) = (stripped.len(), false);
            } else {
                stripped.push(self.text[at]);
            }
            at += 1;
        }
        stripped
    }

    /// Returns the end of the comment that begins here.
    fn end_of_comment(&self, start: usize) -> usize {
        // Two comments may follow each other directly.
        let rest = &self.text[start..];
        if rest.starts_with(b"/*") {
            return rest[2..].windows(2).position(|pair| pair == b"*/").map_or(self.text.len(), |end| start + end + 4);
        }
        (start..self.text.len()).find(|&at| self.kinds[at] != Kind::Comment).unwrap_or(self.text.len())
    }

    /// Skips blanks, comments, and line ends behind a backslash.
    fn skip_blanks(&self, mut at: usize, end: usize) -> usize {
        while at < end {
            match blank_length(&self.text[at..end]) {
                _ if self.kinds[at] == Kind::Comment => at += 1,
                0 => break,
                length => at += length,
            }
        }
        at
    }

    /// Returns the identifier or number that begins here.
    fn word(&self, start: usize, end: usize) -> Range<usize> {
        let is_part =
            |&at: &usize| self.kinds[at] == Kind::Code && is_word_byte(self.text[at]) && blank_length(&self.text[at..]) == 0;
        start..(start..end).find(|at| !is_part(at)).unwrap_or(end)
    }
}

/// Whether a comment has to stay: it names a licence or an author's right.
pub(crate) fn has_licence(comment: &[u8]) -> bool {
    let text = String::from_utf8_lossy(comment).to_lowercase();
    ["spdx-license-identifier", "copyright", "(c) ", "©"].iter().any(|mark| text.contains(mark))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length of the blank that begins here; 0 if there is none. It is a space, also that of the wiki, a byte order mark, or a
/// backslash at the end of its line.
fn blank_length(text: &[u8]) -> usize {
    const OTHERS: [&str; 4] = ["\u{a0}", "\u{feff}", "\\\n", "\\\r\n"];
    if text[0].is_ascii_whitespace() {
        return 1;
    }
    OTHERS.iter().find(|blank| text.starts_with(blank.as_bytes())).map_or(0, |blank| blank.len())
}

fn ends_with_backslash(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// Finds out what each byte is part of.
fn kinds(text: &[u8]) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; text.len()];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (kind, length) = match rest[0] {
            b'/' if rest.starts_with(b"//") => (Kind::Comment, line_comment(rest)),
            b'/' if rest.starts_with(b"/*") => {
                (Kind::Comment, rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4))
            }
            b'"' if is_raw(&text[..at]) => (Kind::Literal, raw_string(rest)),
            b'"' => (Kind::Literal, literal(rest, b'"')),
            b'\'' if !is_digit_separator(&text[..at]) => (Kind::Literal, literal(rest, b'\'')),
            _ => (Kind::Code, 1),
        };
        kinds[at..at + length].fill(kind);
        at += length;
    }
    kinds
}

/// The length of a comment up to the end of its line, which it may continue with a backslash.
fn line_comment(text: &[u8]) -> usize {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at).find(|&at| !ends_with_backslash(&text[..at])).unwrap_or(text.len())
}

/// The length of a string or character; up to the end of the line if it is not closed.
fn literal(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Whether a quotation mark after this begins a raw string.
fn is_raw(before: &[u8]) -> bool {
    let start = before.iter().rposition(|&byte| !is_word_byte(byte)).map_or(0, |at| at + 1);
    matches!(&before[start..], b"R" | b"u8R" | b"uR" | b"UR" | b"LR")
}

/// The length of `"delimiter(…)delimiter"`.
fn raw_string(text: &[u8]) -> usize {
    let Some(open) = text.iter().position(|&byte| byte == b'(') else { return literal(text, b'"') };
    let close = [b")", &text[1..open], b"\""].concat();
    let inside = &text[open + 1..];
    inside.windows(close.len()).position(|part| part == close).map_or(text.len(), |at| open + 1 + at + close.len())
}

/// Whether a single quotation mark after this separates digits: it stands within a number.
fn is_digit_separator(before: &[u8]) -> bool {
    let is_part = |byte: u8| is_word_byte(byte) || byte == b'.' || byte == b'\'';
    let start = before.iter().rposition(|&byte| !is_part(byte)).map_or(0, |at| at + 1);
    before[start..].first().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the kinds: `c` for code, `/` for comments, `"` for literals.
    fn drawn(text: &str) -> String {
        let draw = |kind: &Kind| match kind {
            Kind::Code => 'c',
            Kind::Comment => '/',
            Kind::Literal => '"',
        };
        kinds(text.as_bytes()).iter().map(draw).collect()
    }

    #[test]
    fn comments_and_literals_are_recognised() {
        for (text, kinds) in [
            ("a // b\nc", "cc////cc"),
            ("// a\\\nb\nc", "///////cc"),
            ("a/*\n*/b", "c/////c"),
            ("\"//\" //", "\"\"\"\"c//"),
            ("'\"' a", "\"\"\"cc"),
            ("1'000 '1'", "cccccc\"\"\""),
            ("u8'a'", "cc\"\"\""),
            ("\"a\\\"b\"c", "\"\"\"\"\"\"c"),
            ("R\"(\")\"c", "c\"\"\"\"\"c"),
            ("R\"x(\n)\")x\";", "c\"\"\"\"\"\"\"\"\"c"),
            ("OR\"(\" )", "cc\"\"\"cc"),
            ("\"open\nb", "\"\"\"\"\"cc"),
            ("#error don't\nb", "cccccccccc\"\"cc"),
            ("/* open", "///////"),
        ] {
            assert_eq!(drawn(text), kinds, "{text}");
        }
    }

    fn directive(text: &str) -> Option<Directive> {
        let text = CppText::new(text.into());
        let lines = text.lines();
        text.directive(&lines[0])
    }

    #[test]
    fn directives_are_read() {
        let include = |name: &str, is_quoted| Some(Directive::Include(Include { name: name.into(), is_quoted }));
        let quoted = |name: &str| include(name, true);
        assert_eq!(directive("#include \"a.h\" // b"), quoted("a.h"));
        assert_eq!(directive("\u{feff} # /* x\n */ include\\\n \"b/c.h\"\n"), quoted("b/c.h"));
        assert_eq!(directive("\u{a0}#include\u{a0}\"a.h\""), quoted("a.h"));
        assert_eq!(directive("#include <vector>\n"), include("vector", false));
        assert_eq!(directive("#include FILE\n"), Some(Directive::IncludeComputed("FILE".into())));
        assert_eq!(directive("# pragma once"), Some(Directive::PragmaOnce));
        for text in ["#ifndef A_H", "#if !defined(A_H) // guard", "# if ! defined A_H"] {
            assert_eq!(directive(text), Some(Directive::If(Condition::Undefined("A_H".into()))), "{text}");
        }
        assert_eq!(directive("#if defined(A_H)"), Some(Directive::If(Condition::Defined("A_H".into()))));
        assert_eq!(directive("#if A_H > 1"), Some(Directive::If(Condition::Other)));
        assert_eq!(directive("#define A_H 1"), Some(Directive::Define("A_H".into())));
        assert_eq!(directive("int a; #include \"a.h\""), None);
        assert_eq!(directive("/* #include \"a.h\" */"), None);
        assert_eq!(directive("R\"(\n#include \"a.h\"\n)\";"), None);
    }

    #[test]
    fn files_may_be_included_by_macros() {
        let includes = |text: &str| -> Vec<String> {
            let includes = CppText::new(text.into()).includes();
            includes.into_iter().map(|include| String::from_utf8(include.name).unwrap()).collect()
        };
        assert_eq!(includes("#define d \"d.h\"\n# define E <e/f.hpp> // E\n#include d\n#include E\n"), ["d.h", "e/f.hpp"]);
        assert!(includes("#define NET \"net.bin\"\n#define F(x) \"f.h\"\n#define G\n#define").is_empty());
    }

    fn stripped(text: &str) -> String {
        String::from_utf8(CppText::new(text.into()).without_comments()).unwrap()
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(stripped("// one\nint a; // two\n\nint/* three\n*/b;\n"), "int a;\n\nint b;\n");
        assert_eq!(stripped("auto s = \"// no\"; /* a */ // b\n"), "auto s = \"// no\";\n");
        assert_eq!(stripped("auto s = R\"(\n// no\n\n)\";\n"), "auto s = R\"(\n// no\n\n)\";\n");
        assert_eq!(stripped("#define A \\\n  1 // one\n"), "#define A \\\n  1\n");
        assert_eq!(stripped("// Copyright 2026 A. Author\n// secret\nint a;"), "// Copyright 2026 A. Author\nint a;");
        assert_eq!(stripped("// SPDX-License-Identifier: MIT\n// about\n"), "// SPDX-License-Identifier: MIT\n");
        assert_eq!(stripped("a /* b *//* c */ d\n"), "a    d\n");
    }

    #[test]
    fn identifiers_and_strings_are_those_of_the_code() {
        let text = CppText::new(b"int a1 = 0x1f; // b\n\"c\" \"d\\\"e\" 'f' R\"(g)\"".to_vec());
        let mut words = Vec::new();
        text.each_identifier(|word| words.push(str::from_utf8(word).unwrap()));
        assert_eq!(words, ["int", "a1", "R"]);
        let strings: Vec<&[u8]> = text.strings().map(|(_, string)| string).collect();
        assert_eq!(strings, [&b"c"[..], b"d\\\"e", b"(g)"]);
    }
}
