//! The language of the terminal.
//!
//! The program words everything in English, where it happens. For a Chinese terminal each line is translated where it is printed, by
//! the catalogue `words/zh.json`: its keys are the program's English texts with `{}` for what varies. In the Chinese ones, `{1}`,
//! `{2}`, … stand for these parts, which are translated, too, unless they are written `{1=}`. The sentences about bots that `botzone`
//! has in both languages count as well. A text that is not in the catalogue stays English; a test of `pacman2` finds all of these.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::env;
use std::sync::{LazyLock, OnceLock};

use pacman2_botzone::words::{Bilingual, Locale, catalogue, placeholders};

static LOCALE: OnceLock<Locale> = OnceLock::new();

/// Sets the language of this process, once. Without it, it is English.
pub fn set_locale(locale: Locale) {
    // The first one counts, and there is only one.
    let _ = LOCALE.set(locale);
}

/// Returns the language of this process.
pub fn locale() -> Locale {
    LOCALE.get().copied().unwrap_or(Locale::English)
}

/// Returns the language that the user has chosen for all programs: Chinese, or else English.
pub fn locale_of_system() -> Locale {
    // The library would take LANGUAGE first, which is for translated messages of GNU programs only.
    let from_environment =
        ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    let name = from_environment.or_else(sys_locale::get_locale).unwrap_or_default();
    if name.to_ascii_lowercase().starts_with("zh") { Locale::Chinese } else { Locale::English }
}

/// Returns a text in the language of this process, line by line.
pub fn translated(text: &str) -> Cow<'_, str> {
    if locale() == Locale::English {
        return text.into();
    }
    in_chinese(text).into()
}

/// Returns a text in Chinese, line by line, as far as the catalogue knows it.
pub fn in_chinese(text: &str) -> String {
    text.split_inclusive('\n').map(line_in_chinese).collect()
}

/// Returns an English text in both languages.
pub fn in_both(english: impl Into<String>) -> Bilingual {
    let en = english.into();
    Bilingual { zh: in_chinese(&en), en }
}

/// Returns the Chinese text for an English one, with `{}` for what varies, if the catalogue has it.
pub fn entry(english: &str) -> Option<&'static str> {
    CATALOGUE.get(english).map(String::as_str)
}

/// Returns the English texts of the catalogue.
pub fn entries() -> impl Iterator<Item = &'static str> {
    CATALOGUE.keys().map(String::as_str)
}

static CATALOGUE: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../words/zh.json")).expect("a test reads the catalogue"));

/// The templates of both catalogues; those with more fixed text come first.
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let own = CATALOGUE.iter().map(|(english, chinese)| Template::new(english, chinese.clone()));
    let behind_names = CATALOGUE.iter().filter_map(|(english, chinese)| behind_a_name(english, chinese));
    let [english, chinese] = [Locale::English, Locale::Chinese].map(catalogue);
    let problems = english.iter().map(|(code, sentence)| {
        let (mut anonymous, mut numbered) = (sentence.clone(), chinese[code].clone());
        for (index, name) in placeholders(sentence).enumerate() {
            anonymous = anonymous.replacen(&format!("{{{name}}}"), "{}", 1);
            numbered = numbered.replace(&format!("{{{name}}}"), &format!("{{{}}}", index + 1));
        }
        Template::new(&anonymous, numbered)
    });
    let mut templates: Vec<_> = own.chain(problems).chain(behind_names).filter(|template| template.fixed() > 0).collect();
    templates.sort_by_key(|template| std::cmp::Reverse(template.fixed()));
    templates
});

/// Returns what follows the name that a text begins with, for texts in which other clauses follow, too.
fn behind_a_name(english: &str, chinese: &str) -> Option<Template> {
    let (english, chinese) = (english.strip_prefix("{}: ")?, chinese.strip_prefix("{1}：")?);
    let renumbered =
        (2..=9).fold(chinese.to_owned(), |text, number| text.replace(&format!("{{{number}"), &format!("{{{}", number - 1)));
    Some(Template::new(english, renumbered))
}

/// An English text with parts that vary, and its Chinese one.
struct Template {
    /// What is between the parts that vary, and before and after them.
    fixed: Vec<String>,
    chinese: String,
}

impl Template {
    fn new(english: &str, chinese: String) -> Template {
        Template { fixed: english.split("{}").map(str::to_owned).collect(), chinese }
    }

    /// How many characters are fixed, without blanks.
    fn fixed(&self) -> usize {
        self.fixed.iter().flat_map(|part| part.chars()).filter(|c| !c.is_whitespace()).count()
    }

    /// Whether it ends with a part that follows a colon.
    fn ends_with_a_clause(&self) -> bool {
        matches!(&self.fixed[..], [.., before, end] if before.ends_with(": ") && end.is_empty())
    }

    /// Returns the parts that vary if a text has this form.
    fn parts<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        let (first, others) = self.fixed.split_first().expect("splitting gives one part at least");
        let mut rest = text.strip_prefix(first.as_str())?;
        let Some((last, between)) = others.split_last() else {
            return rest.is_empty().then(Vec::new);
        };
        rest = rest.strip_suffix(last.as_str())?;
        let mut parts = Vec::with_capacity(others.len());
        // How many parts begin at `rest`.
        let mut run = 1;
        for fixed in between {
            if fixed.is_empty() {
                run += 1;
                continue;
            }
            let (part, after) = rest.split_once(fixed.as_str())?;
            split_run(part, std::mem::replace(&mut run, 1), &mut parts);
            rest = after;
        }
        split_run(rest, run, &mut parts);
        // What follows is another clause, unless a colon introduces it.
        let is_more = |last: &&str| CLAUSES.iter().any(|clause| last.find(clause).is_some_and(|at| at > 0));
        if last.is_empty() && !self.ends_with_a_clause() && parts.last().is_some_and(is_more) {
            return None;
        }
        // Columns are apart from each other. With little fixed text, many texts would have this form by chance.
        let has_colon = self.fixed.iter().any(|fixed| fixed.contains(':'));
        let may_have_blanks = |part: &str| self.fixed() >= 4 && (has_colon || !part.contains("  "));
        let begins_anyhow = first.is_empty() && self.fixed() < 8 && !has_colon;
        let is_one = |(number, part): (usize, &&str)| {
            may_have_blanks(part) && !(begins_anyhow && number == 0) || !part.trim().contains(' ')
        };
        parts.iter().enumerate().all(is_one).then_some(parts)
    }

    fn filled(&self, parts: &[&str], left: &Cell<u32>) -> String {
        let mut text = String::new();
        let mut rest = self.chinese.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let found = after.split_once('}').and_then(|(number, after)| {
                let part = parts.get(number.trim_end_matches('=').parse::<usize>().ok()?.checked_sub(1)?)?;
                Some((number.ends_with('='), *part, after))
            });
            // Examples of JSON have braces, too.
            let Some((is_verbatim, part, after)) = found else {
                text.push('{');
                rest = after;
                continue;
            };
            let chinese = if is_verbatim { None } else { sentence_in_chinese(part, left) };
            let part = chinese.unwrap_or_else(|| part.to_owned());
            // A blank separates Latin from Chinese only.
            if part.starts_with(is_chinese) && text.strip_suffix(' ').is_some_and(|before| before.ends_with(is_chinese)) {
                text.pop();
            }
            let is_after = text.ends_with(is_chinese) && part.strip_prefix(' ').is_some_and(|part| part.starts_with(is_chinese));
            let part = if is_after { &part[1..] } else { &part };
            let is_between =
                part.ends_with(is_chinese) && after.strip_prefix(' ').is_some_and(|after| after.starts_with(is_chinese));
            text.push_str(part);
            rest = if is_between { &after[1..] } else { after };
        }
        text + rest
    }
}

/// Returns whether a character is a Chinese one or a mark between such.
pub fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// Splits a text into parts that follow each other without anything between: each one after the first is a text of the catalogue.
fn split_run<'a>(text: &'a str, count: usize, parts: &mut Vec<&'a str>) {
    if count == 1 {
        return parts.push(text);
    }
    let fixed = |text: &str| template_of(text).map_or(0, |(template, _)| template.fixed());
    let whole = fixed(text);
    let begins = text.char_indices().filter(|(_, c)| c.is_ascii_punctuation() || *c == ' ').map(|(at, _)| at);
    let at = begins.into_iter().find(|&at| fixed(text[at..].trim_start()) > whole).unwrap_or(text.len());
    parts.push(&text[..at]);
    split_run(&text[at..], count - 1, parts);
}

fn line_in_chinese(line: &str) -> String {
    // Lines for programs are JSON.
    if line.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok() {
        return line.to_owned();
    }
    let text = line.trim_end_matches(['\n', '\r']);
    let end = &line[text.len()..];
    let shown = text.trim_start();
    let indent = &text[..text.len() - shown.len()];
    let (name, sentence) = shown.split_at(if shown.starts_with(PREFIX) { PREFIX.len() } else { 0 });
    let has_columns = sentence.contains("  ");
    let left = &Cell::new(MAX_CLAUSES);
    let one_column = || last_column_in_chinese(sentence, left).or_else(|| first_column_in_chinese(sentence, left));
    let in_columns = || as_a_whole(sentence, left).or_else(one_column);
    match if has_columns { in_columns() } else { sentence_in_chinese(sentence, left) } {
        Some(chinese) => format!("{indent}{name}{chinese}{end}"),
        None => line.to_owned(),
    }
}

/// Translates what is behind a column, such as an option or a command.
fn last_column_in_chinese(line: &str, left: &Cell<u32>) -> Option<String> {
    let at = line.rfind("  ")? + 2;
    // A Chinese colon is as wide as two characters.
    let columns = || line[..at].replace(":  ", "： ");
    sentence_in_chinese(&line[at..], left).map(|chinese| columns() + &chinese)
}

/// Translates what is before other columns, such as a progress, unless it may be a name.
fn first_column_in_chinese(line: &str, left: &Cell<u32>) -> Option<String> {
    let (first, rest) = line.split_at(line.find("  ")?);
    let (template, parts) = template_of(first).filter(|(template, _)| template.fixed() >= MUCH_FIXED)?;
    Some(template.filled(&parts, left) + rest)
}

/// What the lines on standard error begin with.
const PREFIX: &str = "pacman2: ";

/// How many sentences and clauses of a line are looked up. A stranger's text could have any number of them.
const MAX_CLAUSES: u32 = 300;
/// What begins another clause in what varies.
const CLAUSES: [&str; 2] = ["; ", ", got "];
/// How many names before a colon are looked at in each of them.
const MAX_NAMES: usize = 8;
/// What has as much fixed text as this is not found by chance.
const MUCH_FIXED: usize = 16;

/// Returns a sentence in Chinese: as a whole, or else by its clauses; `None` if nothing of it is known, or none are `left` to look up.
fn sentence_in_chinese(text: &str, left: &Cell<u32>) -> Option<String> {
    left.set(left.get().checked_sub(1)?);
    if !text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let shown = text.trim();
    let around = text.split_once(shown).filter(|_| shown.len() < text.len());
    let trimmed = || {
        let ((before, after), chinese) = (around?, as_a_whole(shown, left)?);
        let before = if chinese.starts_with(['，', '；', '：', '（']) { "" } else { before };
        Some(format!("{before}{chinese}{after}"))
    };
    let whole = || best_template_of(text).map(|(template, parts)| template.filled(&parts, left));
    whole().or_else(trimmed).or_else(|| clauses_in_chinese(text, left))
}

/// Returns the template of a text, unless what follows a name in it, such as that of a file, is better known.
fn best_template_of(text: &str) -> Option<(&'static Template, Vec<&str>)> {
    let known = |(at, colon): (usize, &str)| {
        let begin = at + colon.len();
        // A colon in brackets does not end a name.
        let ends_name = text[..at].rfind(" (") <= text[..at].rfind(')');
        template_of(&text[begin..]).filter(|_| ends_name).map(|(template, _)| (template.fixed(), begin))
    };
    let (fixed, begin) = text.match_indices(": ").take(MAX_NAMES).filter_map(known).max().unwrap_or_default();
    let keeps_it = |(template, parts): &(&Template, Vec<&str>)| {
        let last = parts.last().filter(|last| template.ends_with_a_clause() && text.len() - last.len() <= begin);
        // What has the same form without the name has it without the name.
        let least = fixed + usize::from(template.fixed[0].is_empty());
        least <= template.fixed() || last.is_some()
    };
    templates_of(text).find(keeps_it)
}

fn as_a_whole(text: &str, left: &Cell<u32>) -> Option<String> {
    template_of(text).map(|(template, parts)| template.filled(&parts, left))
}

fn template_of(text: &str) -> Option<(&'static Template, Vec<&str>)> {
    templates_of(text).next()
}

fn templates_of(text: &str) -> impl Iterator<Item = (&'static Template, Vec<&str>)> {
    TEMPLATES.iter().filter_map(move |template| Some((template, template.parts(text)?)))
}

/// Translates the parts of a sentence: clauses, what follows a sentence, and what help texts add in brackets.
fn clauses_in_chinese(text: &str, left: &Cell<u32>) -> Option<String> {
    const SEPARATORS: [(&str, &str, &str); 5] =
        [(" [", "[", " "), (". ", "", "。"), ("; ", "", "；"), (": ", "", "："), (", ", "", "，")];
    // Brackets end a help text; others are lists of numbers.
    let in_brackets = || text.rfind(" [").filter(|at| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()));
    let place = |english: &str| if english == " [" { in_brackets() } else { text.find(english) };
    let mut places: Vec<_> = SEPARATORS.iter().filter_map(|separator| place(separator.0).map(|at| (at, separator))).collect();
    places.sort_unstable_by_key(|(at, separator)| (separator.1.is_empty(), separator.0 == ", ", *at));
    // What is before a colon may have other separators.
    let is_known = |(at, _): &(usize, &str)| {
        let is_it =
            |template: &Template| template.fixed() >= MUCH_FIXED && template.fixed.last().is_some_and(|end| !end.is_empty());
        template_of(&text[..*at]).is_some_and(|(template, _)| is_it(template))
    };
    let behind_known = text.match_indices(": ").take(MAX_NAMES).filter(is_known).last();
    places.splice(0..0, behind_known.map(|(at, _)| (at, &SEPARATORS[3])));
    places.into_iter().find_map(|(at, (english, kept, chinese))| {
        let first = &text[..at];
        let first_chinese = sentence_in_chinese(first, left);
        // The catalogue has some texts that follow others, such as "; did you mean {}?".
        let following = template_of(&text[at..]).filter(|(template, _)| template.fixed[0].starts_with(english));
        if let Some((following, parts)) = following {
            return Some(first_chinese.unwrap_or_else(|| first.to_owned()) + &following.filled(&parts, left));
        }
        let rest = &text[at + english.len() - kept.len()..];
        let rest_chinese = sentence_in_chinese(rest, left);
        let is_known = first_chinese.is_some() || rest_chinese.is_some();
        let [first, rest] =
            [(first_chinese, first), (rest_chinese, rest)].map(|(known, text)| known.unwrap_or_else(|| text.to_owned()));
        is_known.then(|| format!("{first}{chinese}{rest}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_translated_as_a_whole_by_columns_or_by_clauses() {
        for (english, chinese) in [
            (
                "pacman2: cannot read x.json: No such file or directory (os error 2)",
                "pacman2: 无法读取 x.json：没有这个文件或文件夹（os error 2）",
            ),
            ("  replay   Verify, show or convert a replay", "  replay   核对、显示或转换录像"),
            ("turn   3", "第   3 回合"),
            (
                "x: unknown style \"abc\"; did you mean b? expected one of a, b",
                "x：未知风格“abc”；你要的是 b 吗？应为下列之一：a, b",
            ),
            ("it cannot go up: a wall is there", "不能向上走：那里是墙"),
            ("{\"event\": \"cannot read x\"}", "{\"event\": \"cannot read x\"}"),
            (
                "      --with <KIND>          What the bot does [default: search in C++, simple in other languages] [possible values: net]",
                "      --with <KIND>          Bot 的下法 [默认：C++ 为 search，其他语言为 simple] [可选的值：net]",
            ),
            (
                "WRONG: KeyError: 'x' (opening on 11 columns, restarted and 11 more like it)",
                "错误：KeyError: 'x'（第一回合，11 列，重新启动，以及同类 11 处）",
            ),
            (
                "arena: there is no arena here; \"pacman2 arena init --arena arena\" creates one",
                "arena：这里没有竞技场；用 \"pacman2 arena init --arena arena\" 建立一个",
            ),
            (
                "x.log: line 1: turn 2, player 1: expected an answer with the action 2 that the judge shows, got null",
                "x.log：第 1 行：第 2 回合，1 号玩家：应有裁判显示的动作为 2 的回答，实际是 null",
            ),
            (
                "x: turn 2: by the rules strengths change by [0, 1], in the log by [9, 9]",
                "x：第 2 回合：按规则力量的变化应为 [0, 1]，记录的是 [9, 9]",
            ),
            (
                "a@1 cannot play: its program is missing or broken; add it again as a new version: b: No such file or directory (os error 2)",
                "a@1 无法对局：它的程序缺失或损坏；请把它作为新版本重新加入：b：没有这个文件或文件夹（os error 2）",
            ),
            (
                "x: expected a regular file, got a pipe, socket or device; save its content in a file first",
                "x：应为普通文件，实际为管道、套接字或设备；请先把内容存成文件",
            ),
            (
                "x: turn 4 differs: the position is 5c by the rules, 01 in the replay",
                "x：第 4 回合不一致：按规则局面为 5c，录像里为 01",
            ),
            ("--time: expected a whole number from 1 to 60, got \"x\"", "--time：应为 1 到 60 的整数，实际是“x”"),
            (
                "pacman2: [##..] game 4 of 8, 1.5 per second, 3 s left  random@1 85.9",
                "pacman2: [##..] 第 4 局，共 8 局，每秒 1.5 局，还剩 3 s  random@1 85.9",
            ),
            ("Interrupted: 0 of 40 turns analysed, seed 3", "已中断：已分析 0/40 个回合，种子 3"),
            (
                "Better: +6.0 points (95 % 3.3 to 8.7) in 384 blocks, 1536 games; LLR 9.39 (-3.22 to 3.22); time-outs 0 of 12 → 2 of 4",
                "更好：+6.0 分（95% 区间：3.3 至 8.7），共 384 组 1536 局；对数似然比 9.39（-3.22 至 3.22）；超时 0/12 → 2/4",
            ),
            (
                "Undecided: +1.0 points (95 % -1.0 to 3.0) in 100 blocks, 400 games; LLR 0.00 (-3.22 to 3.22), about 910 more games; time-outs 0 of 0 → 0 of 0",
                "尚无定论：+1.0 分（95% 区间：-1.0 至 3.0），共 100 组 400 局；对数似然比 0.00（-3.22 至 3.22），大约还需 910 局；超时 0/0 → 0/0",
            ),
            ("WRONG: no answer (turn 2 of a game, kept running)", "错误：没有输出（一局的第 2 回合，长时运行）"),
            ("x.json: expected a match, got an empty text", "x.json：应为一场对局，实际是空的文本"),
            (
                "unknown built-in bot \"gredy\"; did you mean greedy? (built-in bots: random, sage), and no file or program of that name",
                "没有内置 Bot“gredy”；你要的是 greedy 吗？（内置 Bot：random, sage），也没有这个名字的文件或程序",
            ),
            (
                "- judge:  Only where a living player stands too, as in Botzone's judge",
                "- judge： 仅当那个格子里还有活着的玩家，与 Botzone 的裁判一样",
            ),
            ("control groups  they limit neither memory nor processes", "cgroup 限制     既不限制内存，也不限制进程"),
            ("  stderr: what the bot wrote", "  标准错误：what the bot wrote"),
        ] {
            assert_eq!(in_chinese(&format!("{english}\n")), format!("{chinese}\n"));
        }
    }

    /// Looking up all ways to split it would take years.
    #[test]
    fn a_strangers_text_is_looked_up_within_bounds() {
        let text = "a b, c d; e f: g h. ".repeat(100);
        assert_eq!(in_chinese(&text), text);
    }
}
