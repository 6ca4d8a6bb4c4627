//! What each participant is told: what came of it, what went wrong, and how to see that.

use std::fmt::Write;

use pacman2_tournament::standings::Estimate;

use super::config::{Grading, Language, Measure};
use super::grades::{Graded, Held, Stage, number};
use super::submissions::InBoth;

/// The first game in which a participant forfeited.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Incident {
    /// As much of the game's id as tells it from others.
    pub(crate) game: String,
    pub(crate) seat: usize,
    pub(crate) turn: u32,
    /// `TLE` and so on.
    pub(crate) kind: String,
    /// What was wrong, in the judge's words.
    pub(crate) complaint: String,
    /// What the bot had written to standard error.
    pub(crate) stderr: String,
    /// The command that opens the game in the viewer.
    pub(crate) show: String,
    /// The command that plays it again.
    pub(crate) again: String,
}

/// All that a note is made of.
pub(crate) struct Case<'a> {
    pub(crate) graded: &'a Graded<'a>,
    pub(crate) grading: &'a Grading,
    pub(crate) incident: Option<&'a Incident>,
    /// The command with which a participant sees for itself why it was refused.
    pub(crate) try_it: &'a str,
    /// The report, as it would be typed.
    pub(crate) report: &'a str,
}

/// How many lines of what a bot or a compiler wrote a note repeats.
const MOST_LINES: usize = 20;
const MOST_LETTERS: usize = 300;

/// The note, in Markdown; the course's language comes first.
pub(crate) fn note(case: &Case<'_>, language: Language) -> String {
    let (zh, en) = (chinese(case), english(case));
    let [first, second] = if language == Language::Chinese { [zh, en] } else { [en, zh] };
    format!("# {}\n\n{}\n\n---\n\n{}\n", in_one_line(&case.graded.participant.name), first.trim_end(), second.trim_end())
}

/// The note in a sentence for everybody to read: nothing in it belongs to the bot's owner.
pub(crate) fn sentence(case: &Case<'_>) -> InBoth {
    let (forfeits, times) = (case.graded.forfeits(), times(case.graded.forfeits()));
    match (&case.graded.participant.entered, case.incident) {
        (Err(refusal), _) => {
            let InBoth { zh, en } = refusal.stage.words();
            InBoth::new(format!("{zh}，未参赛。"), format!("{en}; it did not play."))
        }
        (Ok(_), Some(Incident { kind, turn, game, .. })) => {
            let InBoth { zh, en } = meaning(kind);
            InBoth::new(
                format!("失格 {forfeits} 次；第一次见对局 {game} 第 {turn} 回合：{kind}，{zh}。"),
                format!("It forfeited {times}; first in turn {turn} of game {game}: {kind}, {en}."),
            )
        }
        (Ok(_), None) => InBoth::new("没有失格。", "It never forfeited."),
    }
}

fn chinese(case: &Case<'_>) -> String {
    let Graded { grade, participant, standing, thresholds, .. } = case.graded;
    let mut text = format!("## 成绩：{}\n\n", number(*grade));
    match (&participant.entered, standing) {
        (Err(refusal), _) => {
            let what = match refusal.stage {
                Stage::NoBot => "提交里没有找到 Bot，没有参赛。",
                Stage::DoesNotCompile => "程序没有编译成功，没有参赛。编译器的输出：",
                Stage::CannotRun => "程序无法运行，没有参赛：",
                Stage::FailsTrial => "试赛没有通过，没有参赛。试赛是 Bot 自己与自己下一局，四个座位依次思考：",
            };
            let _ = write!(text, "{what}\n\n{}\n自己试一试：\n\n{}\n", block(&refusal.why.zh), block(case.try_it));
            return text;
        }
        (Ok(_), None) => text += "还没有对局。\n\n",
        (Ok(_), Some(standing)) => {
            let _ = write!(
                text,
                "名次 {}，等级分 {:.0}，平均得分 {}，共 {} 局。全部结果见 `{}`。\n\n",
                standing.place,
                standing.rating.value,
                interval(standing.points, ["（95 % 区间 ", " 至 ", "）"]),
                standing.games,
                case.report
            );
        }
    }
    if !thresholds.is_empty() {
        let measure = match case.grading.measure {
            Measure::Estimate => "领先分的平均值",
            Measure::Low => "领先分的 95 % 区间下限",
        };
        let _ = write!(text, "同场对局中领先参考 Bot 多少分；{measure}达到要求即得该成绩：\n\n");
        text += "| 参考 Bot | 至少领先 | 成绩 | 实际领先 | 达到 |\n|---|---|---|---|---|\n";
        let lead = |held: &Held<'_>| held.lead.map_or("没有同场".to_owned(), |lead| interval(lead, ["（", " 至 ", "）"]));
        text += &rows(thresholds, lead, ["是", "否"]);
        text += "\n";
    }
    match case.incident {
        None if standing.is_some() => text += "没有失格。\n",
        None => {}
        Some(incident) => {
            let Incident { game, seat, turn, kind, complaint, stderr, show, again } = incident;
            let _ = write!(
                text,
                "失格 {} 次（{}）。第一次：对局 `{game}`，座位 {seat}，第 {turn} 回合，**{kind}**（{}）。\n\n",
                case.graded.forfeits(),
                kinds(case, "，"),
                meaning(kind).zh
            );
            text += &titled("裁判的说明：", complaint);
            text += &titled("程序写到标准错误的内容：", stderr);
            text += &titled("在播放器里看这一局（由课程组运行）：", show);
            text += &titled("重新下这一局：", again);
        }
    }
    text
}

fn english(case: &Case<'_>) -> String {
    let Graded { grade, participant, standing, thresholds, .. } = case.graded;
    let mut text = format!("## Grade: {}\n\n", number(*grade));
    match (&participant.entered, standing) {
        (Err(refusal), _) => {
            let what = match refusal.stage {
                Stage::NoBot => "There is no bot in the submission, so it did not play.",
                Stage::DoesNotCompile => "The program does not compile, so it did not play. The compiler's output:",
                Stage::CannotRun => "The program cannot be run, so it did not play:",
                Stage::FailsTrial => {
                    "It failed its trial, so it did not play. The trial is a game against itself, one seat after another:"
                }
            };
            let _ = write!(text, "{what}\n\n{}\nSee for yourself:\n\n{}\n", block(&refusal.why.en), block(case.try_it));
            return text;
        }
        (Ok(_), None) => text += "There are no games yet.\n\n",
        (Ok(_), Some(standing)) => {
            let _ = write!(
                text,
                "Place {}, rating {:.0}, {} points in the mean of {} games. All results are in `{}`.\n\n",
                standing.place,
                standing.rating.value,
                interval(standing.points, [" (95 % ", " to ", ")"]),
                standing.games,
                case.report
            );
        }
    }
    if !thresholds.is_empty() {
        let measure = match case.grading.measure {
            Measure::Estimate => "the mean lead",
            Measure::Low => "the lower end of its 95 % interval",
        };
        let _ = write!(text, "The lead over a reference in the games in which both sat; {measure} counts:\n\n");
        text += "| reference | lead wanted | grade | lead | reached |\n|---|---|---|---|---|\n";
        let lead = |held: &Held<'_>| held.lead.map_or("never met".to_owned(), |lead| interval(lead, [" (", " to ", ")"]));
        text += &rows(thresholds, lead, ["yes", "no"]);
        text += "\n";
    }
    match case.incident {
        None if standing.is_some() => text += "It never forfeited.\n",
        None => {}
        Some(incident) => {
            let Incident { game, seat, turn, kind, complaint, stderr, show, again } = incident;
            let _ = write!(
                text,
                "It forfeited {} ({}). The first: game `{game}`, seat {seat}, turn {turn}, **{kind}** ({}).\n\n",
                times(case.graded.forfeits()),
                kinds(case, ", "),
                meaning(kind).en
            );
            text += &titled("What the judge says:", complaint);
            text += &titled("What the program wrote to standard error:", stderr);
            text += &titled("To see this game in the viewer (the course's staff can):", show);
            text += &titled("To play it again:", again);
        }
    }
    text
}

fn rows(thresholds: &[Held<'_>], lead: impl Fn(&Held<'_>) -> String, [yes, no]: [&str; 2]) -> String {
    let row = |held: &Held<'_>| {
        let threshold = held.threshold;
        let reached = if held.is_reached { yes } else { no };
        let (name, wanted) = (in_one_line(&threshold.reference), number(threshold.at_least));
        format!("| {name} | {wanted} | {} | {} | {reached} |\n", number(threshold.grade), lead(held))
    };
    thresholds.iter().map(row).collect()
}

fn kinds(case: &Case<'_>, comma: &str) -> String {
    let faults = case.graded.standing.map(|standing| standing.faults.as_slice()).unwrap_or_default();
    faults.iter().map(|(kind, times)| format!("{kind} {times}")).collect::<Vec<_>>().join(comma)
}

fn interval(Estimate { value, low, high }: Estimate, [open, to, close]: [&str; 3]) -> String {
    format!("{value:.2}{open}{low:.2}{to}{high:.2}{close}")
}

/// So many times, in English.
pub(crate) fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// What a verdict means.
fn meaning(kind: &str) -> InBoth {
    match kind {
        "TLE" => InBoth::new("超时", "it took too long"),
        "MLE" => InBoth::new("超出内存限制", "it took too much memory"),
        "OLE" => InBoth::new("输出太多", "it wrote too much"),
        "NJ" => InBoth::new("回答不是 JSON，或者没有回答", "its answer was no JSON, or there was none"),
        "RE" => InBoth::new("程序崩溃或提前退出", "it crashed or ended too early"),
        _ => InBoth::new("命令不合法", "an illegal order"),
    }
}

fn titled(title: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{title}\n\n{}\n", block(text)) }
}

/// What a stranger wrote, as an indented block: it cannot end that by anything that stands in it.
fn block(text: &str) -> String {
    let more = if text.lines().nth(MOST_LINES).is_some() { "    …\n" } else { "" };
    text.lines().take(MOST_LINES).map(|line| format!("    {}\n", in_one_line(line))).collect::<String>() + more
}

fn in_one_line(text: &str) -> String {
    let tame = |c: char| if c == '\t' { ' ' } else { c };
    crate::board::harmless(&text.chars().take(MOST_LETTERS).map(tame).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::grades::grade;
    use super::super::grades::tests::{grading, opponent, participant, refused, table};
    use super::*;

    fn incident() -> Incident {
        Incident {
            game: "0123456789ab".to_owned(),
            seat: 2,
            turn: 7,
            kind: "TLE".to_owned(),
            complaint: "no answer within 1000 ms".to_owned(),
            stderr: "thinking…\n```\n# not a heading\u{1b}[31m".to_owned(),
            show: "pacman2 arena show 0123456789ab --open --arena results/arena".to_owned(),
            again: "pacman2 match greedy greedy submissions/alice.py greedy --seed 5".to_owned(),
        }
    }

    /// The note and the sentence of the only participant.
    fn noted(name: &str, plays: bool, incident: Option<&Incident>, language: Language) -> (String, InBoth) {
        let table = table(&["greedy", "random", name], &[(3, 1, -1.0), (3, 2, 30.0)]);
        let participants = [if plays { participant(name, 3) } else { refused(name) }];
        let grading = grading(Measure::Estimate);
        let graded = grade(&participants, &[opponent("greedy", 1), opponent("random", 2)], &table, &grading);
        let try_it = "pacman2 match submissions/alice.py greedy greedy greedy";
        let case = Case { graded: &graded[0], grading: &grading, incident, try_it, report: "results/report.html" };
        (note(&case, language), sentence(&case))
    }

    #[test]
    fn somebody_who_forfeited() {
        let incident = incident();
        let (note, sentence) = noted("alice", true, Some(&incident), Language::English);
        let (english, chinese) = note.split_once("\n---\n").unwrap();
        for words in [
            "# alice\n\n## Grade: 80\n",
            "Place 3, rating 1500, 50.00 (95 % 48.00 to 52.00) points in the mean of 8 games.",
            "| greedy | 0 | 100 | -1.00 (-3.00 to 1.00) | no |\n| greedy | -5 | 80 | -1.00 (-3.00 to 1.00) | yes |",
            "It forfeited 3 times (TLE 2, RE 1). The first: game `0123456789ab`, seat 2, turn 7, **TLE** (it took too long).",
            "\n    no answer within 1000 ms\n",
            "\n    pacman2 arena show 0123456789ab --open --arena results/arena\n",
            "\n    pacman2 match greedy greedy submissions/alice.py greedy --seed 5\n",
        ] {
            assert!(english.contains(words), "{words} is not in {english}");
        }
        for words in ["## 成绩：80\n", "| greedy | 0 | 100 | -1.00（-3.00 至 1.00） | 否 |", "第 7 回合，**TLE**（超时）"]
        {
            assert!(chinese.contains(words), "{words} is not in {chinese}");
        }
        assert_eq!(sentence.en, "It forfeited 3 times; first in turn 7 of game 0123456789ab: TLE, it took too long.");
        assert_eq!(sentence.zh, "失格 3 次；第一次见对局 0123456789ab 第 7 回合：TLE，超时。");
    }

    #[test]
    fn what_a_bot_wrote_stays_in_its_block() {
        let (note, _) = noted("alice", true, Some(&incident()), Language::Chinese);
        let written: Vec<&str> = note.lines().filter(|line| line.contains("```") || line.contains("not a heading")).collect();
        assert_eq!(written, ["    ```", "    # not a heading\u{fffd}[31m", "    ```", "    # not a heading\u{fffd}[31m"]);
        let long = "x\n".repeat(MOST_LINES + 1);
        assert_eq!([1, 2].map(times), ["once", "2 times"]);
        assert_eq!(block(&long).lines().count(), MOST_LINES + 1);
        assert!(block(&long).ends_with("    x\n    …\n"));
    }

    #[test]
    fn somebody_who_never_forfeited() {
        let (note, sentence) = noted("alice", true, None, Language::Chinese);
        assert!(note.starts_with("# alice\n\n## 成绩：80\n\n名次 3，"), "{note}");
        assert!(note.contains("没有失格。") && note.contains("It never forfeited."), "{note}");
        assert_eq!(sentence, InBoth::new("没有失格。", "It never forfeited."));
    }

    #[test]
    fn somebody_who_did_not_play() {
        let (note, sentence) = noted("bob", false, None, Language::Chinese);
        let (chinese, english) = note.split_once("\n---\n").unwrap();
        assert!(chinese.contains("## 成绩：0\n") && chinese.contains("\n    bot.cpp:1: 错误\n"), "{chinese}");
        assert!(english.contains("does not compile") && english.contains("\n    bot.cpp:1: error\n"), "{english}");
        assert!(english.contains("\n    pacman2 match submissions/alice.py greedy greedy greedy\n"), "{english}");
        assert_eq!(sentence, InBoth::new("编译失败，未参赛。", "does not compile; it did not play."));
    }
}
