//! The note for each participant: the grade, what failed, and how to see that.

use std::fmt::Write;

use pacman2_botzone::response::Verdict;
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::language::{in_both, in_chinese};
use pacman2_tournament::standings::{Estimate, Interval};

use super::config::{Grading, Measure};
use super::grades::{GradedParticipant, RejectionReason, ThresholdResult, meaning, number};

/// The first game in which a participant forfeited.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FirstForfeit {
    /// The first digits of the game's id.
    pub(crate) game: String,
    pub(crate) seat: usize,
    pub(crate) turn: u32,
    pub(crate) verdict: Verdict,
    /// The judge's message.
    pub(crate) complaint: Bilingual,
    /// What the bot wrote to standard error.
    pub(crate) stderr: String,
    /// The command that opens the game in the viewer.
    pub(crate) show_command: String,
    /// The command that plays the game again.
    pub(crate) replay_command: String,
}

/// What a note is made from.
pub(crate) struct NoteContext<'a> {
    pub(crate) graded: &'a GradedParticipant<'a>,
    pub(crate) grading: &'a Grading,
    pub(crate) first_forfeit: Option<&'a FirstForfeit>,
    /// The command with which the author of a rejected submission can try it, if it contains a bot.
    pub(crate) trial_command: Option<&'a str>,
    /// The path of the report.
    pub(crate) report: &'a str,
}

/// The most lines that a note quotes: those of a compiler are at most 20, and a hint follows.
const MAX_LINES: usize = 25;
/// What the lines of a quotation begin with.
const INDENT: &str = "    ";
/// The most characters of each line.
const MAX_LINE_LENGTH: usize = 300;

/// Returns the note in Markdown, in both languages. The language of the course comes first.
pub(crate) fn note(context: &NoteContext<'_>, language: Locale) -> String {
    let other = if language == Locale::Chinese { Locale::English } else { Locale::Chinese };
    let [first, second] = [language, other].map(|language| note_in(language, context));
    format!("# {}\n\n{}\n\n---\n\n{}\n", in_one_line(&context.graded.participant.name), first.trim_end(), second.trim_end())
}

/// Returns the note in one sentence, for the page that everyone can read. It contains no private data of the bot.
pub(crate) fn summary(context: &NoteContext<'_>) -> Bilingual {
    let times = times(context.graded.forfeits());
    match (&context.graded.participant.bot, context.first_forfeit) {
        (Err(rejection), _) => {
            let what = rejection.reason.words().en;
            in_both(match rejection.cause() {
                Some(cause) => format!("{what}; it did not play. Cause: {}.", cause.en),
                None => format!("{what}; it did not play."),
            })
        }
        (Ok(_), Some(FirstForfeit { verdict, turn, game, .. })) => {
            let why = meaning(*verdict);
            in_both(format!("It forfeited {times}, first in turn {turn} of game {game}: {verdict}, {why}."))
        }
        (Ok(_), None) => in_both("It never forfeited."),
    }
}

fn note_in(language: Locale, context: &NoteContext<'_>) -> String {
    let text = english(context, language);
    let translated = |line: &str| if line.starts_with(INDENT) { line.to_owned() } else { in_chinese(line) };
    if language == Locale::English { text } else { text.split_inclusive('\n').map(translated).collect() }
}

/// Returns the note in English, but for the blocks: what they quote is in this language.
fn english(context: &NoteContext<'_>, language: Locale) -> String {
    let GradedParticipant { grade, participant, standing, thresholds, .. } = context.graded;
    let mut text = format!("## Grade: {}\n\nTaken as: `{}`.\n\n", number(*grade), in_one_line(&participant.taken.words()));
    text += &titled("Compiled by:", participant.taken.compilation.as_deref().unwrap_or_default());
    match (&participant.bot, standing) {
        (Err(rejection), _) => {
            let what = match rejection.reason {
                RejectionReason::NoBot => "The submission contains no bot, so it did not play:",
                RejectionReason::DoesNotCompile => "The program does not compile, so it did not play. The compiler's output:",
                RejectionReason::CannotRun => "The program cannot be run, so it did not play:",
                RejectionReason::FailsTrial { .. } => {
                    "It failed its trial, so it did not play. The trial is a game against itself, in which the seats think one after another. The bot's file plays alone and cannot read the files beside it:"
                }
            };
            text += &titled(what, &rejection.details.clone().in_language(language));
            text += &titled("Try it yourself:", context.trial_command.unwrap_or_default());
            return text;
        }
        (Ok(_), None) => text += "There are no games yet.\n\n",
        (Ok(_), Some(standing)) => {
            let Estimate { value, interval } = standing.points;
            let points = interval
                .map_or(format!("{value:.2}"), |Interval { low, high }| format!("{value:.2} (95 % {low:.2} to {high:.2})"));
            let _ = write!(
                text,
                "Place {}, rating {:.0}, {points} points on average in {} games. All results are in `{}`.\n\n",
                standing.place, standing.rating.value, standing.games, context.report
            );
        }
    }
    if let Some(words) = context.graded.never_finished() {
        let _ = write!(text, "It {words}, so the grade is 0, whatever the thresholds are.\n\n");
    } else if !thresholds.is_empty() {
        let measure = match context.grading.measure {
            Measure::Estimate => "The lead itself",
            Measure::Low => "The lower end of its 95 % interval",
        };
        let _ =
            write!(text, "The lead is the mean difference in points to a reference, in games with both. {measure} counts:\n\n");
        text += "| reference | required lead | grade | lead | reached |\n|---|---|---|---|---|\n";
        text.extend(thresholds.iter().map(row));
        text += "\n";
        if context.graded.is_uncertain() {
            let [low, high] = context.graded.grade_range.map(number);
            let _ = write!(
                text,
                "A required lead lies within the interval: by chance, the grade might have been {low} to {high}.\n\n"
            );
        }
    }
    match context.first_forfeit {
        None if standing.is_some() => text += "It never forfeited.\n",
        None => {}
        Some(forfeit) => {
            let FirstForfeit { game, seat, turn, verdict, complaint, stderr, show_command, replay_command } = forfeit;
            let _ = write!(
                text,
                "It forfeited {} ({}). The first: game `{game}`, seat {seat}, turn {turn}, **{verdict}** ({}).\n\n",
                times(context.graded.forfeits()),
                context.graded.verdicts(),
                meaning(*verdict)
            );
            text += &titled("The judge's message:", &complaint.clone().in_language(language));
            text += &titled("Standard error of the program:", stderr);
            text += &titled("To see this game in the viewer (run by the staff):", show_command);
            text += &titled("To play it again:", replay_command);
        }
    }
    text
}

fn row(ThresholdResult { threshold, lead, is_reached }: &ThresholdResult<'_>) -> String {
    let (name, required, grade) = (in_one_line(&threshold.reference), number(threshold.at_least), number(threshold.grade));
    let lead = match *lead {
        Some(Estimate { value, interval: Some(Interval { low, high }) }) => format!("{value:.2} ({low:.2} to {high:.2})"),
        Some(Estimate { value, interval: None }) => format!("{value:.2}"),
        None => "never met".to_owned(),
    };
    match is_reached {
        true => format!("| {name} | {required} | {grade} | {lead} | yes |\n"),
        false => format!("| {name} | {required} | {grade} | {lead} | no |\n"),
    }
}

/// Returns "once", "2 times" and so on.
pub(crate) fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn titled(title: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{title}\n\n{}\n", block(text)) }
}

/// Returns untrusted text as an indented block, which no text can end. Of a long text, the middle is left out.
fn block(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(|line| format!("{INDENT}{}\n", in_one_line(line))).collect();
    if lines.len() > MAX_LINES {
        // A compiler says first what is wrong, and an interpreter last.
        let half = MAX_LINES / 2;
        lines.splice(half..lines.len() - half, ["    …\n".to_owned()]);
    }
    lines.concat()
}

fn in_one_line(text: &str) -> String {
    let without_tabs = |c: char| if c == '\t' { ' ' } else { c };
    pacman2_console::text::sanitize(&text.chars().take(MAX_LINE_LENGTH).map(without_tabs).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::grades::grade;
    use super::super::grades::tests::{grading, participant, reference, rejected, table};
    use super::*;

    fn first_forfeit() -> FirstForfeit {
        FirstForfeit {
            game: "0123456789ab".to_owned(),
            seat: 2,
            turn: 7,
            verdict: Verdict::Tle,
            complaint: Bilingual::new("1000 ms 内没有回答", "no answer within 1000 ms"),
            stderr: "thinking…\n```\n# not a heading\u{1b}[31m".to_owned(),
            show_command: "pacman2 arena show 0123456789ab --open --arena results/arena".to_owned(),
            replay_command: "pacman2 play greedy greedy submissions/alice.py greedy --seed 5".to_owned(),
        }
    }

    /// Returns the note and the summary of the only participant.
    fn noted(name: &str, plays: bool, first_forfeit: Option<&FirstForfeit>, language: Locale) -> (String, Bilingual) {
        let table = table(&["greedy", "random", name], &[(3, 1, -1.0), (3, 2, 30.0)]);
        let participants = [if plays { participant(name, 3) } else { rejected(name) }];
        let grading = grading(Measure::Estimate);
        let graded = grade(&participants, &[reference("greedy", 1), reference("random", 2)], &table, &grading);
        let trial_command = Some("pacman2 play submissions/alice.py greedy greedy greedy");
        let report = "results/report.html";
        let context = NoteContext { graded: &graded[0], grading: &grading, first_forfeit, trial_command, report };
        (note(&context, language), summary(&context))
    }

    #[test]
    fn a_participant_that_forfeited() {
        let forfeit = first_forfeit();
        let (note, summary) = noted("alice", true, Some(&forfeit), Locale::English);
        let (english, chinese) = note.split_once("\n---\n").unwrap();
        for words in [
            "# alice\n\n## Grade: 80\n",
            "Place 3, rating 1500, 50.00 (95 % 48.00 to 52.00) points on average in 8 games.",
            "| greedy | 0 | 100 | -1.00 (-3.00 to 1.00) | no |\n| greedy | -5 | 80 | -1.00 (-3.00 to 1.00) | yes |",
            "It forfeited 3 times (TLE 2, RE 1). The first: game `0123456789ab`, seat 2, turn 7, **TLE** (it took too long).",
            "\n    no answer within 1000 ms\n",
            "\n    pacman2 arena show 0123456789ab --open --arena results/arena\n",
            "\n    pacman2 play greedy greedy submissions/alice.py greedy --seed 5\n",
        ] {
            assert!(english.contains(words), "{words} is not in {english}");
        }
        for words in [
            "## 成绩：80\n",
            "| greedy | 0 | 100 | -1.00（-3.00 至 1.00） | 否 |",
            "第 7 回合，**TLE**（超时）",
            "\n    1000 ms 内没有回答\n",
        ] {
            assert!(chinese.contains(words), "{words} is not in {chinese}");
        }
        assert_eq!(summary.en, "It forfeited 3 times, first in turn 7 of game 0123456789ab: TLE, it took too long.");
        assert_eq!(summary.zh, "出局 3 次，第一次是在对局 0123456789ab 的第 7 回合：TLE，超时。");
    }

    #[test]
    fn the_output_of_a_bot_stays_in_its_block() {
        let (note, _) = noted("alice", true, Some(&first_forfeit()), Locale::Chinese);
        let written: Vec<&str> = note.lines().filter(|line| line.contains("```") || line.contains("not a heading")).collect();
        assert_eq!(written, ["    ```", "    # not a heading\u{fffd}[31m", "    ```", "    # not a heading\u{fffd}[31m"]);
        assert_eq!([1, 2].map(times), ["once", "2 times"]);
        let long = (1..=MAX_LINES + 1).map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(block(&long).lines().count(), MAX_LINES);
        assert!(block(&long).contains("    12\n    …\n    15\n") && block(&long).ends_with("    26\n"), "{}", block(&long));
    }

    #[test]
    fn a_participant_that_never_forfeited() {
        let (note, summary) = noted("alice", true, None, Locale::Chinese);
        let begin =
            "# alice\n\n## 成绩：80\n\n提交的 Bot：`alice/bot.cpp (C++17)`。\n\n编译命令：\n\n    g++ bot.cpp\n\n名次 3，";
        assert!(note.starts_with(begin), "{note}");
        assert!(note.contains("从未出局。") && note.contains("It never forfeited."), "{note}");
        assert_eq!(summary, Bilingual::new("从未出局。", "It never forfeited."));
    }

    #[test]
    fn a_participant_that_did_not_play() {
        let (note, summary) = noted("bob", false, None, Locale::Chinese);
        let (chinese, english) = note.split_once("\n---\n").unwrap();
        assert!(chinese.contains("## 成绩：0\n") && chinese.contains("\n    bot.cpp:1: 错误\n"), "{chinese}");
        assert!(english.contains("does not compile") && english.contains("\n    bot.cpp:1: error\n"), "{english}");
        assert!(english.contains("\n    pacman2 play submissions/alice.py greedy greedy greedy\n"), "{english}");
        assert_eq!(summary, Bilingual::new("编译失败，未参赛。", "does not compile; it did not play."));
    }
}
