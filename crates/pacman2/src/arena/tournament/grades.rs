//! From the table to grades.

use pacman2_tournament::BotId;
use pacman2_tournament::standings::{Estimate, Standing, Standings};
use serde_json::{Value, json};

use super::config::{Grading, Language, Measure, Threshold};
use super::submissions::InBoth;

/// What became of a submission before the games.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Participant {
    pub(crate) name: String,
    /// Its bot in the store, or why it has none.
    pub(crate) entered: Result<BotId, Refusal>,
}

/// Why a submission does not play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) stage: Stage,
    /// What was wrong: a compiler's message, or our own sentence.
    pub(crate) why: InBoth,
}

/// How far it got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// There is no bot in it.
    NoBot,
    /// The compiler refuses it.
    DoesNotCompile,
    /// Nobody knows how to run it.
    CannotRun,
    /// It forfeited a game against itself.
    FailsTrial,
}

impl Stage {
    /// For programs.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Stage::NoBot => "no-bot",
            Stage::DoesNotCompile => "does-not-compile",
            Stage::CannotRun => "cannot-run",
            Stage::FailsTrial => "fails-trial",
        }
    }

    /// For people.
    pub(crate) fn words(self) -> InBoth {
        match self {
            Stage::NoBot => InBoth::new("没有 Bot", "no bot"),
            Stage::DoesNotCompile => InBoth::new("编译失败", "does not compile"),
            Stage::CannotRun => InBoth::new("无法运行", "cannot be run"),
            Stage::FailsTrial => InBoth::new("试赛失败", "fails the trial game"),
        }
    }
}

/// A reference in the store.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Opponent {
    pub(crate) name: String,
    pub(crate) bot: BotId,
}

/// What a submission has got.
pub(crate) struct Graded<'a> {
    pub(crate) participant: &'a Participant,
    pub(crate) grade: f64,
    /// Its line in the table, if it has played.
    pub(crate) standing: Option<&'a Standing>,
    /// How many points more than each opponent it got, where they met.
    pub(crate) leads: Vec<Option<Estimate>>,
    /// Each threshold and what counts there, and whether it is reached.
    pub(crate) thresholds: Vec<Held<'a>>,
}

/// A threshold, held against what was played.
pub(crate) struct Held<'a> {
    pub(crate) threshold: &'a Threshold,
    pub(crate) lead: Option<Estimate>,
    pub(crate) is_reached: bool,
}

impl Graded<'_> {
    /// How it went, in two or three words.
    pub(crate) fn status(&self) -> InBoth {
        match (&self.participant.entered, self.standing) {
            (Err(refusal), _) => refusal.stage.words(),
            (Ok(_), Some(_)) => InBoth::new("已参赛", "played"),
            (Ok(_), None) => InBoth::new("尚无对局", "no games yet"),
        }
    }

    /// The same for programs.
    pub(crate) fn status_key(&self) -> &'static str {
        match (&self.participant.entered, self.standing) {
            (Err(refusal), _) => refusal.stage.key(),
            (Ok(_), Some(_)) => "ok",
            (Ok(_), None) => "no-games",
        }
    }

    /// How often it forfeited.
    pub(crate) fn forfeits(&self) -> usize {
        self.standing.map_or(0, |standing| standing.faults.iter().map(|(_, times)| times).sum())
    }
}

/// The grades, in the order of the participants.
pub(crate) fn grade<'a>(
    participants: &'a [Participant],
    opponents: &[Opponent],
    standings: &'a Standings,
    grading: &'a Grading,
) -> Vec<Graded<'a>> {
    let place_of = |bot: BotId| standings.bots.iter().position(|standing| standing.bot.id == bot);
    let graded = |participant: &'a Participant| {
        let at = participant.entered.as_ref().ok().and_then(|&bot| place_of(bot));
        let lead = |opponent: &Opponent| Some(standings.matrix[at?][place_of(opponent.bot)?]?.points);
        let leads: Vec<Option<Estimate>> = opponents.iter().map(lead).collect();
        let held = |threshold: &'a Threshold| {
            let opponent = opponents.iter().position(|opponent| opponent.name == threshold.reference);
            let lead = opponent.and_then(|at| leads[at]);
            Held { threshold, lead, is_reached: lead.is_some_and(|lead| measured(lead, grading.measure) >= threshold.at_least) }
        };
        let thresholds: Vec<Held<'a>> = grading.thresholds.iter().map(held).collect();
        let best = thresholds.iter().filter(|held| held.is_reached).map(|held| held.threshold.grade).reduce(f64::max);
        // Who does not play has no grade to lose.
        let grade = if at.is_some() { best.unwrap_or(grading.otherwise) } else { 0.0 };
        Graded { participant, grade, standing: at.map(|at| &standings.bots[at]), leads, thresholds }
    };
    participants.iter().map(graded).collect()
}

/// What is held against a threshold.
pub(crate) fn measured(lead: Estimate, measure: Measure) -> f64 {
    match measure {
        Measure::Estimate => lead.value,
        Measure::Low => lead.low,
    }
}

/// The grades as a table that spreadsheets open: UTF-8 with a mark that says so, for Excel would take it for something else.
pub(crate) fn csv(graded: &[Graded<'_>], opponents: &[Opponent], language: Language) -> String {
    let mut lines = vec![headings(opponents, language)];
    lines.extend(graded.iter().map(|graded| cells(graded, language)));
    let lines = lines.iter().map(|cells| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n");
    format!("\u{feff}{}", lines.collect::<String>())
}

fn headings(opponents: &[Opponent], language: Language) -> Vec<String> {
    let (fixed, of_opponent) = match language {
        Language::Chinese => (
            ["提交", "成绩", "状态", "名次", "等级分", "平均得分", "得分下限", "得分上限", "局数", "失格次数"],
            [("领先 ", ""), ("领先 ", " 下限"), ("领先 ", " 上限")],
        ),
        Language::English => (
            ["name", "grade", "status", "place", "rating", "points", "points low", "points high", "games", "forfeits"],
            [("ahead of ", ""), ("ahead of ", " low"), ("ahead of ", " high")],
        ),
    };
    let of_opponents = opponents.iter().flat_map(|opponent| {
        let name = opponent.name.as_str();
        of_opponent.map(move |(before, after)| format!("{before}{name}{after}"))
    });
    fixed.into_iter().map(str::to_owned).chain(of_opponents).collect()
}

fn cells(graded: &Graded<'_>, language: Language) -> Vec<String> {
    let status = graded.status();
    let status = if language == Language::Chinese { status.zh } else { status.en };
    let mut cells = vec![guarded(&graded.participant.name), number(graded.grade), status];
    let of_standing = |tell: &dyn Fn(&Standing) -> String| graded.standing.map(tell).unwrap_or_default();
    cells.push(of_standing(&|standing| standing.place.to_string()));
    cells.push(of_standing(&|standing| format!("{:.0}", standing.rating.value)));
    cells.push(of_standing(&|standing| format!("{:.2}", standing.points.value)));
    cells.push(of_standing(&|standing| format!("{:.2}", standing.points.low)));
    cells.push(of_standing(&|standing| format!("{:.2}", standing.points.high)));
    cells.push(of_standing(&|standing| standing.games.to_string()));
    cells.push(of_standing(&|_| graded.forfeits().to_string()));
    let ends = graded.leads.iter().flat_map(|lead| match lead {
        Some(Estimate { value, low, high }) => [value, low, high].map(|points| format!("{points:.2}")),
        None => Default::default(),
    });
    cells.extend(ends);
    cells
}

/// A number as a person writes it.
pub(crate) fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A name that a spreadsheet would take for a formula is marked as text.
fn guarded(name: &str) -> String {
    let is_formula =
        name.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) || name.starts_with(['\t', '\r', '\n']);
    if is_formula { format!("'{name}") } else { name.to_owned() }
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

/// The grades as the page shows them; a note for each, in the same order.
pub(crate) fn for_page(graded: &[Graded<'_>], notes: &[InBoth]) -> Value {
    let line = |(graded, note): (&Graded<'_>, &InBoth)| {
        json!({
            "name": graded.participant.name,
            "grade": graded.grade,
            "status": graded.status_key(),
            "points": graded.standing.map(|standing| standing.points),
            "note_zh": note.zh,
            "note_en": note.en,
        })
    };
    graded.iter().zip(notes).map(line).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use pacman2_tournament::BotVersion;
    use pacman2_tournament::standings::HeadToHead;

    use super::*;

    pub(crate) fn estimate(value: f64) -> Estimate {
        Estimate { value, low: value - 2.0, high: value + 2.0 }
    }

    /// A table of these bots, whose ids are 1, 2 and so on; `leads` are the points by which a bot is ahead of another.
    pub(crate) fn table(names: &[&str], leads: &[(usize, usize, f64)]) -> Standings {
        let standing = |(at, name): (usize, &&str)| Standing {
            bot: BotVersion {
                id: BotId(at as i64 + 1),
                name: (*name).to_owned(),
                version: "1".to_owned(),
                program: String::new(),
                command: String::new(),
                added: 0,
                is_active: true,
            },
            place: at + 1,
            rating: estimate(1500.4),
            points: estimate(50.0),
            games: 8,
            mean_place: 2.5,
            firsts: 0.25,
            faults: vec![("TLE".to_owned(), 2), ("RE".to_owned(), 1)],
            by_seat: [None; 4],
            by_size: Vec::new(),
            slowest_ms: 1.0,
        };
        let lead = |(a, b): (usize, usize)| leads.iter().find(|(x, y, _)| (*x, *y) == (a, b)).map(|lead| lead.2);
        let meeting = |a, b| Some(HeadToHead { points: estimate(lead((a, b))?), stronger: 0.5, games: 4 });
        let row = |a| (1..=names.len()).map(|b| meeting(a, b)).collect();
        Standings {
            bots: names.iter().enumerate().map(standing).collect(),
            matrix: (1..=names.len()).map(row).collect(),
            games: 8,
            blocks: 2,
            replayed: 0,
        }
    }

    pub(crate) fn participant(name: &str, bot: i64) -> Participant {
        Participant { name: name.to_owned(), entered: Ok(BotId(bot)) }
    }

    pub(crate) fn refused(name: &str) -> Participant {
        let why = InBoth::new("bot.cpp:1: 错误", "bot.cpp:1: error");
        Participant { name: name.to_owned(), entered: Err(Refusal { stage: Stage::DoesNotCompile, why }) }
    }

    pub(crate) fn opponent(name: &str, bot: i64) -> Opponent {
        Opponent { name: name.to_owned(), bot: BotId(bot) }
    }

    pub(crate) fn grading(measure: Measure) -> Grading {
        let threshold = |reference: &str, at_least, grade| Threshold { reference: reference.to_owned(), at_least, grade };
        let thresholds = vec![threshold("greedy", 0.0, 100.0), threshold("greedy", -5.0, 80.0), threshold("random", 0.0, 60.0)];
        Grading { measure, otherwise: 20.0, thresholds }
    }

    /// A submission that is ahead of `greedy` and `random` by so many points.
    #[track_caller]
    fn check(ahead_of_greedy: f64, ahead_of_random: f64, measure: Measure, grade_expected: f64) {
        let table = table(&["greedy", "random", "alice"], &[(3, 1, ahead_of_greedy), (3, 2, ahead_of_random)]);
        let (alice, grading) = ([participant("alice", 3)], grading(measure));
        let graded = grade(&alice, &[opponent("greedy", 1), opponent("random", 2)], &table, &grading);
        assert_eq!(graded[0].grade, grade_expected);
    }

    #[test]
    fn the_highest_threshold_that_is_reached() {
        check(1.0, 30.0, Measure::Estimate, 100.0);
        check(0.0, 30.0, Measure::Estimate, 100.0);
        check(-0.01, 30.0, Measure::Estimate, 80.0);
        check(-30.0, 0.5, Measure::Estimate, 60.0);
        check(-30.0, -0.5, Measure::Estimate, 20.0);
        // An upset counts as it was.
        check(0.0, -10.0, Measure::Estimate, 100.0);
    }

    #[test]
    fn in_doubt_the_lower_end() {
        check(1.0, 30.0, Measure::Low, 80.0);
        check(2.0, 30.0, Measure::Low, 100.0);
        check(-30.0, 1.9, Measure::Low, 20.0);
    }

    #[test]
    fn who_does_not_play_or_did_not_meet() {
        let table = table(&["greedy", "random", "alice"], &[]);
        let (participants, grading) = ([participant("alice", 3), refused("bob"), participant("carol", 9)], grading(Measure::Low));
        let graded = grade(&participants, &[opponent("greedy", 1)], &table, &grading);
        let grades: Vec<f64> = graded.iter().map(|graded| graded.grade).collect();
        assert_eq!(grades, [20.0, 0.0, 0.0]);
        let statuses: Vec<String> = graded.iter().map(|graded| graded.status().en).collect();
        assert_eq!(statuses, ["played", "does not compile", "no games yet"]);
    }

    #[test]
    fn a_table_for_spreadsheets() {
        let table = table(&["greedy", "张三"], &[(2, 1, -3.456)]);
        let (participants, grading) = ([participant("张三", 2), refused("=cmd|' /C calc'!A0")], grading(Measure::Estimate));
        let opponents = [opponent("greedy", 1)];
        let graded = grade(&participants, &opponents, &table, &grading);
        assert_eq!(
            csv(&graded, &opponents, Language::Chinese),
            "\u{feff}\"提交\",\"成绩\",\"状态\",\"名次\",\"等级分\",\"平均得分\",\"得分下限\",\"得分上限\",\"局数\",\"失格次数\",\
             \"领先 greedy\",\"领先 greedy 下限\",\"领先 greedy 上限\"\r\n\
             \"张三\",\"80\",\"已参赛\",\"2\",\"1500\",\"50.00\",\"48.00\",\"52.00\",\"8\",\"3\",\"-3.46\",\"-5.46\",\"-1.46\"\r\n\
             \"'=cmd|' /C calc'!A0\",\"0\",\"编译失败\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"\r\n"
        );
        let english = csv(&graded, &opponents, Language::English);
        assert!(english.starts_with("\u{feff}\"name\",\"grade\",\"status\","), "{english}");
        assert!(english.contains("\"does not compile\""), "{english}");
        let columns: Vec<usize> = english.lines().map(|line| line.split("\",\"").count()).collect();
        assert_eq!(columns, [13, 13, 13]);
    }

    #[test]
    fn formulas_and_quotes() {
        for name in ["=1+1", "+1", "-1", "@SUM", " =1", "\t1", "＝1"] {
            assert_eq!(guarded(name), format!("'{name}"));
        }
        assert_eq!(guarded("a=1-@"), "a=1-@");
        assert_eq!(quoted("a \"b\",\nc"), "\"a \"\"b\"\",\nc\"");
        assert_eq!([60.0, 87.5, 0.0, 100.0, 33.333].map(number), ["60", "87.5", "0", "100", "33.33"]);
    }

    #[test]
    fn what_the_page_is_told() {
        let table = table(&["greedy", "alice"], &[(2, 1, 1.0)]);
        let (participants, grading) = ([participant("alice", 2), refused("bob")], grading(Measure::Estimate));
        let graded = grade(&participants, &[opponent("greedy", 1)], &table, &grading);
        let told = for_page(&graded, &[InBoth::new("好", "good"), InBoth::new("坏", "bad")]);
        let alice = json!({
            "name": "alice", "grade": 100.0, "status": "ok", "points": { "value": 50.0, "low": 48.0, "high": 52.0 },
            "note_zh": "好", "note_en": "good",
        });
        let bob = json!({
            "name": "bob", "grade": 0.0, "status": "does-not-compile", "points": null, "note_zh": "坏", "note_en": "bad",
        });
        assert_eq!(told, json!([alice, bob]));
    }
}
