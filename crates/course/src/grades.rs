//! From the table of the tournament to grades.

use pacman2_botzone::response::Verdict;
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::language::in_both;
use pacman2_console::text::{excerpt, sanitize};
use pacman2_tournament::BotId;
use pacman2_tournament::standings::{Estimate, Interval, MIN_MAPS, Standing, Standings};
use serde_json::{Value, json};

use super::config::{Grading, Measure, Threshold};
use super::output::ENTRIES;
use super::single::Taken;

/// How much of a rejection's details the table quotes.
const MAX_CAUSE_CHARS: usize = 500;

/// A participant: the author of one submission.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Participant {
    pub(crate) name: String,
    /// The bot in the arena, or why the submission was rejected.
    pub(crate) bot: Result<BotId, Rejection>,
    pub(crate) taken: Taken,
    /// The number of the submission.
    pub(crate) number: usize,
}

impl Participant {
    /// Returns the command that repeats its compilation in the folder of the table.
    fn compilation(&self) -> Option<String> {
        Some(format!("cd {ENTRIES}/{} && {}", self.number, self.taken.compilation.as_ref()?))
    }
}

impl Taken {
    /// Returns the file and its language.
    pub(crate) fn words(&self) -> String {
        self.language.as_ref().map_or_else(|| self.file.clone(), |language| format!("{} ({language})", self.file))
    }
}

/// Why a submission does not play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rejection {
    pub(crate) reason: RejectionReason,
    /// The message of the compiler, or ours.
    pub(crate) details: Bilingual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RejectionReason {
    /// The submission contains no bot.
    NoBot,
    DoesNotCompile,
    /// It is neither a program nor in a known language.
    CannotRun,
    /// It forfeited a game against itself.
    FailsTrial {
        kind: Verdict,
        turn: u32,
    },
}

impl RejectionReason {
    /// Returns the name in JSON.
    pub(crate) fn key(self) -> &'static str {
        match self {
            RejectionReason::NoBot => "no-bot",
            RejectionReason::DoesNotCompile => "does-not-compile",
            RejectionReason::CannotRun => "cannot-run",
            RejectionReason::FailsTrial { .. } => "fails-trial",
        }
    }

    /// Returns the status in the table.
    pub(crate) fn words(self) -> Bilingual {
        in_both(match self {
            RejectionReason::NoBot => "no bot",
            RejectionReason::DoesNotCompile => "does not compile",
            RejectionReason::CannotRun => "cannot be run",
            RejectionReason::FailsTrial { .. } => "fails the trial game",
        })
    }
}

impl Rejection {
    /// Returns what happened in one line, for everyone to read; `None` if it is in the details only.
    pub(crate) fn cause(&self) -> Option<Bilingual> {
        let RejectionReason::FailsTrial { kind, turn } = self.reason else { return None };
        Some(in_both(format!("{kind} in turn {turn}: {}", meaning(kind))))
    }

    /// Returns the reason with all details, for the author.
    pub(crate) fn explanation(&self) -> Bilingual {
        let (Bilingual { zh, en }, details) = (self.reason.words(), &self.details);
        Bilingual::new(format!("{zh}：{}", details.zh), format!("{en}: {}", details.en))
    }

    /// Returns the cause in one line, for the staff: it may quote details.
    pub(crate) fn evidence(&self) -> Bilingual {
        let Bilingual { zh, en } = &self.details;
        Bilingual::new(telling_line(zh), telling_line(en))
    }
}

/// Returns the line of a message that says most.
fn telling_line(text: &str) -> String {
    // What linkers and Pascal's compiler say ends with a line that only says that there were errors. Go's names a place and a reason.
    let words = ["undefined reference", "multiple definition", "error:", "Error:", "error", ": ", ""];
    let line = words.iter().find_map(|words| text.lines().find(|line| line.contains(words))).unwrap_or_default();
    sanitize(&excerpt(line, MAX_CAUSE_CHARS))
}

/// A reference and its bot in the arena.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AdmittedReference {
    pub(crate) name: String,
    pub(crate) bot: BotId,
}

/// A participant with its grade, and what the grade is based on.
pub(crate) struct GradedParticipant<'a> {
    pub(crate) participant: &'a Participant,
    pub(crate) grade: f64,
    /// The grades that the ends of the intervals of the leads would give.
    pub(crate) grade_range: [f64; 2],
    /// The row of the table, if the participant has played.
    pub(crate) standing: Option<&'a Standing>,
    /// The lead over each reference in points, where they have met.
    pub(crate) leads: Vec<Option<Estimate>>,
    pub(crate) thresholds: Vec<ThresholdResult<'a>>,
}

/// A threshold, and whether a participant reached it.
pub(crate) struct ThresholdResult<'a> {
    pub(crate) threshold: &'a Threshold,
    pub(crate) lead: Option<Estimate>,
    pub(crate) is_reached: bool,
}

impl GradedParticipant<'_> {
    /// Returns whether chance could have changed the grade: a threshold lies within the interval of a lead.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.grade_range[0] < self.grade_range[1]
    }

    /// Returns the status in two or three words.
    pub(crate) fn status(&self) -> Bilingual {
        match (&self.participant.bot, self.standing) {
            (Err(rejection), _) => rejection.reason.words(),
            (Ok(_), Some(_)) => in_both("played"),
            (Ok(_), None) => in_both("no games yet"),
        }
    }

    /// Returns the status in JSON.
    pub(crate) fn status_key(&self) -> &'static str {
        match (&self.participant.bot, self.standing) {
            (Err(rejection), _) => rejection.reason.key(),
            (Ok(_), Some(_)) => "ok",
            (Ok(_), None) => "no-games",
        }
    }

    /// Returns why the submission gets 0, in one line, if it was rejected or never finished. The table is not for everyone, so it may
    /// quote details.
    fn cause(&self) -> Option<Bilingual> {
        let rejection = self.participant.bot.as_ref().err();
        rejection.map(Rejection::evidence).or_else(|| self.never_finished().map(in_both))
    }

    /// Returns how often the bot forfeited.
    pub(crate) fn forfeits(&self) -> usize {
        self.standing.map_or(0, forfeits)
    }

    /// Returns by which verdicts the bot forfeited, and how often.
    pub(crate) fn verdicts(&self) -> String {
        let faults = self.standing.map(|standing| standing.faults.as_slice()).unwrap_or_default();
        faults.iter().map(|(verdict, times)| format!("{verdict} {times}")).collect::<Vec<_>>().join(", ")
    }

    /// Returns that the bot forfeited all of its games, if it did.
    pub(crate) fn never_finished(&self) -> Option<String> {
        let standing = self.standing.filter(|standing| forfeits_all(standing))?;
        Some(format!("forfeited all {} games ({})", standing.games, self.verdicts()))
    }
}

fn forfeits(standing: &Standing) -> usize {
    standing.faults.iter().map(|(_, times)| times).sum()
}

/// Returns whether a bot forfeited all games that it played.
fn forfeits_all(standing: &Standing) -> bool {
    standing.games > 0 && forfeits(standing) == standing.games
}

/// Grades the participants, in their order.
pub(crate) fn grade<'a>(
    participants: &'a [Participant],
    references: &[AdmittedReference],
    standings: &'a Standings,
    grading: &'a Grading,
) -> Vec<GradedParticipant<'a>> {
    let row_of = |bot: BotId| standings.bots.iter().position(|standing| standing.bot.id == bot);
    let graded = |participant: &'a Participant| {
        let row = participant.bot.as_ref().ok().and_then(|&bot| row_of(bot));
        let lead = |reference: &AdmittedReference| Some(standings.matrix[row?][row_of(reference.bot)?]?.points);
        let leads: Vec<Option<Estimate>> = references.iter().map(lead).collect();
        let check = |threshold: &'a Threshold| {
            let index = references.iter().position(|reference| reference.name == threshold.reference);
            let lead = index.and_then(|index| leads[index]);
            ThresholdResult {
                threshold,
                lead,
                is_reached: lead.is_some_and(|lead| measured(lead, grading.measure) >= threshold.at_least),
            }
        };
        let thresholds: Vec<ThresholdResult<'a>> = grading.thresholds.iter().map(check).collect();
        let grade_of = |is_reached: &dyn Fn(&ThresholdResult<'_>) -> bool| {
            let best =
                thresholds.iter().filter(|result| is_reached(result)).map(|result| result.threshold.grade).reduce(f64::max);
            // A rejected submission, or one that played no game to its end, does not get the grade of one that plays.
            if row.is_some_and(|row| !forfeits_all(&standings.bots[row])) { best.unwrap_or(grading.otherwise) } else { 0.0 }
        };
        let reached_by = |points: fn(Estimate) -> f64| {
            move |result: &ThresholdResult<'_>| result.lead.is_some_and(|lead| points(lead) >= result.threshold.at_least)
        };
        let grade = grade_of(&|result| result.is_reached);
        let grade_range = match grading.measure {
            Measure::Estimate => [
                grade_of(&reached_by(|lead| lead.interval.map_or(lead.value, |interval| interval.low))),
                grade_of(&reached_by(|lead| lead.interval.map_or(lead.value, |interval| interval.high))),
            ],
            // This measure is on the safe side already.
            Measure::Low => [grade; 2],
        };
        let standing = row.map(|row| &standings.bots[row]);
        GradedParticipant { participant, grade, grade_range, standing, leads, thresholds }
    };
    participants.iter().map(graded).collect()
}

/// Returns the number that is compared with a threshold.
pub(crate) fn measured(lead: Estimate, measure: Measure) -> f64 {
    match measure {
        Measure::Estimate => lead.value,
        // Without an interval nothing is certain.
        Measure::Low => lead.interval.map_or(f64::NEG_INFINITY, |interval| interval.low),
    }
}

/// The number of maps below which intervals are too wide, or missing, for most grades.
const FEW_MAPS: usize = 10;

/// Returns what the staff should know about the certainty of the grades, if there is anything.
pub(crate) fn certainty(graded: &[GradedParticipant<'_>], maps: usize) -> Option<String> {
    let played = graded.iter().filter(|graded| graded.standing.is_some()).count();
    let uncertain = graded.iter().filter(|graded| graded.is_uncertain()).count();
    let leads = graded.iter().flat_map(|graded| &graded.leads).flatten();
    let mut reaches: Vec<f64> = leads.filter_map(|lead| lead.interval).map(Interval::margin).collect();
    reaches.sort_by(f64::total_cmp);
    let few = if maps < FEW_MAPS { format!("{maps} maps are few for grades. ") } else { String::new() };
    let interval = match reaches.get(reaches.len() / 2) {
        Some(&reach) if reach > 0.0 => {
            format!("; leads are known to ±{reach:.1} points, and four times as many seeds halve that")
        }
        _ => String::new(),
    };
    if uncertain > 0 {
        Some(format!(
            "{few}Chance may have changed {uncertain} of {played} grades, where a threshold lies within the 95 % interval of the lead{interval}."
        ))
    } else if maps < MIN_MAPS && played > 0 {
        Some(format!("Intervals need {MIN_MAPS} maps, and there are {maps}, so it is unknown which grades are due to chance."))
    } else {
        None
    }
}

/// Returns the grades as a CSV file for spreadsheets. It begins with a byte order mark, without which Excel does not recognise
/// UTF-8.
pub(crate) fn csv(graded: &[GradedParticipant<'_>], references: &[AdmittedReference], language: Locale) -> String {
    let mut lines = vec![headings(references, language)];
    lines.extend(graded.iter().map(|graded| cells(graded, language)));
    let lines = lines.iter().map(|cells| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n");
    format!("\u{feff}{}", lines.collect::<String>())
}

fn headings(references: &[AdmittedReference], language: Locale) -> Vec<String> {
    let (fixed, of_reference, about) = match language {
        Locale::Chinese => (
            ["提交", "成绩", "状态", "名次", "等级分", "平均得分", "得分下限", "得分上限", "局数", "出局次数"],
            [("领先 ", ""), ("领先 ", " 下限"), ("领先 ", " 上限")],
            ["得 0 分的原因", "提交的 Bot", "编译命令（在成绩表所在的文件夹里运行）"],
        ),
        Locale::English => (
            ["name", "grade", "status", "place", "rating", "points", "points low", "points high", "games", "forfeits"],
            [("ahead of ", ""), ("ahead of ", " low"), ("ahead of ", " high")],
            ["why it gets 0", "taken as", "compiled by (in the folder of this table)"],
        ),
    };
    let of_references = references.iter().flat_map(|reference| {
        let name = reference.name.as_str();
        of_reference.map(move |(before, after)| format!("{before}{name}{after}"))
    });
    fixed.into_iter().map(str::to_owned).chain(of_references).chain(about.map(str::to_owned)).collect()
}

fn cells(graded: &GradedParticipant<'_>, language: Locale) -> Vec<String> {
    let status = graded.status().in_language(language);
    let mut cells = vec![escaped(&graded.participant.name), number(graded.grade), status];
    let of_standing = |format: &dyn Fn(&Standing) -> String| graded.standing.map(format).unwrap_or_default();
    cells.push(of_standing(&|standing| standing.place.to_string()));
    cells.push(of_standing(&|standing| format!("{:.0}", standing.rating.value)));
    cells.push(of_standing(&|standing| format!("{:.2}", standing.points.value)));
    cells.extend(ends(graded.standing.map(|standing| standing.points)));
    cells.push(of_standing(&|standing| standing.games.to_string()));
    cells.push(of_standing(&|_| graded.forfeits().to_string()));
    for &lead in &graded.leads {
        cells.push(lead.map_or_else(String::new, |lead| format!("{:.2}", lead.value)));
        cells.extend(ends(lead));
    }
    cells.push(graded.cause().map_or_else(String::new, |cause| escaped(&cause.in_language(language))));
    cells.extend([escaped(&graded.participant.taken.words()), graded.participant.compilation().unwrap_or_default()]);
    cells
}

/// Formats the ends of an interval; empty if there is none.
fn ends(estimate: Option<Estimate>) -> [String; 2] {
    let interval = estimate.and_then(|estimate| estimate.interval);
    interval.map_or_else(Default::default, |Interval { low, high }| [low, high].map(|points| format!("{points:.2}")))
}

/// Formats a number with at most two decimals.
pub(crate) fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Marks a name as text if a spreadsheet would read it as a formula.
fn escaped(name: &str) -> String {
    let is_formula =
        name.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) || name.starts_with(['\t', '\r', '\n']);
    if is_formula { format!("'{name}") } else { name.to_owned() }
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

/// Returns the grades as JSON for the page, with the summary of each participant in the same order.
pub(crate) fn to_json(graded: &[GradedParticipant<'_>], summaries: &[Bilingual]) -> Vec<Value> {
    let threshold = |result: &ThresholdResult<'_>| {
        let Threshold { reference, at_least, grade } = result.threshold;
        json!({ "reference": reference, "at_least": at_least, "grade": grade, "lead": result.lead, "reached": result.is_reached })
    };
    let row = |(graded, summary): (&GradedParticipant<'_>, &Bilingual)| {
        json!({
            "name": graded.participant.name,
            "grade": graded.grade,
            "grade_low": graded.grade_range[0],
            "grade_high": graded.grade_range[1],
            "status": graded.status_key(),
            "bot": graded.standing.map(|standing| standing.bot.label()),
            "place": graded.standing.map(|standing| standing.place),
            "points": graded.standing.map(|standing| standing.points),
            "thresholds": graded.thresholds.iter().map(threshold).collect::<Vec<_>>(),
            "note_zh": summary.zh,
            "note_en": summary.en,
        })
    };
    graded.iter().zip(summaries).map(row).collect()
}

/// Returns what a verdict means.
pub(crate) fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "no fault",
        Verdict::Tle => "it took too long",
        Verdict::Mle => "it took too much memory",
        Verdict::Ole => "it wrote too much",
        Verdict::Nj => "its answer was not JSON, or it did not answer",
        Verdict::Re => "it crashed or exited too early",
        Verdict::Illegal => "an illegal action",
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use pacman2_tournament::BotVersion;
    use pacman2_tournament::standings::HeadToHead;

    use super::*;

    pub(crate) fn estimate(value: f64) -> Estimate {
        Estimate { value, interval: Some(Interval { low: value - 2.0, high: value + 2.0 }) }
    }

    /// Returns a table of bots with the ids 1, 2 and so on; `leads` are the leads of one bot over another.
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
            faults: vec![(Verdict::Tle, 2), (Verdict::Re, 1)],
            by_seat: [None; 4],
            by_size: Vec::new(),
            slowest_ms: 1.0,
        };
        let lead = |(a, b): (usize, usize)| leads.iter().find(|(x, y, _)| (*x, *y) == (a, b)).map(|lead| lead.2);
        let pair = |a, b| Some(HeadToHead { points: estimate(lead((a, b))?), stronger: 0.5, games: 4 });
        let row = |a| (1..=names.len()).map(|b| pair(a, b)).collect();
        Standings {
            bots: names.iter().enumerate().map(standing).collect(),
            matrix: (1..=names.len()).map(row).collect(),
            games: 8,
            blocks: 2,
            maps: 2,
            replayed: 0,
        }
    }

    fn taken(name: &str) -> Taken {
        let (language, compilation) = (Some("C++17".to_owned()), Some("g++ bot.cpp".to_owned()));
        Taken { file: format!("{name}/bot.cpp"), language, compilation }
    }

    pub(crate) fn participant(name: &str, bot: i64) -> Participant {
        Participant { name: name.to_owned(), bot: Ok(BotId(bot)), taken: taken(name), number: 1 }
    }

    pub(crate) fn rejected(name: &str) -> Participant {
        let details = Bilingual::new("bot.cpp:1: 错误", "bot.cpp:1: error");
        let bot = Err(Rejection { reason: RejectionReason::DoesNotCompile, details });
        Participant { name: name.to_owned(), bot, taken: taken(name), number: 2 }
    }

    pub(crate) fn reference(name: &str, bot: i64) -> AdmittedReference {
        AdmittedReference { name: name.to_owned(), bot: BotId(bot) }
    }

    pub(crate) fn grading(measure: Measure) -> Grading {
        let threshold = |reference: &str, at_least, grade| Threshold { reference: reference.to_owned(), at_least, grade };
        let thresholds = vec![threshold("greedy", 0.0, 100.0), threshold("greedy", -5.0, 80.0), threshold("random", 0.0, 60.0)];
        Grading { measure, otherwise: 20.0, thresholds }
    }

    /// Checks the grade of a submission with these leads over `greedy` and `random`.
    #[track_caller]
    fn check(ahead_of_greedy: f64, ahead_of_random: f64, measure: Measure, grade_expected: f64) {
        let table = table(&["greedy", "random", "alice"], &[(3, 1, ahead_of_greedy), (3, 2, ahead_of_random)]);
        let (alice, grading) = ([participant("alice", 3)], grading(measure));
        let graded = grade(&alice, &[reference("greedy", 1), reference("random", 2)], &table, &grading);
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
    fn the_lower_end_of_the_interval() {
        check(1.0, 30.0, Measure::Low, 80.0);
        check(2.0, 30.0, Measure::Low, 100.0);
        check(-30.0, 1.9, Measure::Low, 20.0);
    }

    #[test]
    fn grades_that_may_be_due_to_chance() {
        let certainty_of = |ahead: f64, measure| {
            let table = table(&["greedy", "random", "alice"], &[(3, 1, ahead), (3, 2, 30.0)]);
            let (alice, grading) = ([participant("alice", 3), rejected("bob")], grading(measure));
            let graded = grade(&alice, &[reference("greedy", 1), reference("random", 2)], &table, &grading);
            (graded[0].grade_range, certainty(&graded, 8), certainty(&graded, 20))
        };
        let (range, few, enough) = certainty_of(1.5, Measure::Estimate);
        assert_eq!(range, [80.0, 100.0]);
        let text = "Chance may have changed 1 of 1 grades, where a threshold lies within the 95 % interval of the lead; \
             leads are known to ±2.0 points, and four times as many seeds halve that.";
        assert_eq!(few.unwrap(), format!("8 maps are few for grades. {text}"));
        assert_eq!(enough.unwrap(), text);
        assert_eq!(certainty_of(2.0, Measure::Estimate), ([100.0; 2], None, None));
        assert_eq!(certainty_of(1.5, Measure::Low), ([80.0; 2], None, None));
    }

    #[test]
    fn participants_without_games() {
        let table = table(&["greedy", "random", "alice"], &[]);
        let (participants, grading) =
            ([participant("alice", 3), rejected("bob"), participant("carol", 9)], grading(Measure::Low));
        let graded = grade(&participants, &[reference("greedy", 1)], &table, &grading);
        let grades: Vec<f64> = graded.iter().map(|graded| graded.grade).collect();
        assert_eq!(grades, [20.0, 0.0, 0.0]);
        let statuses: Vec<String> = graded.iter().map(|graded| graded.status().en).collect();
        assert_eq!(statuses, ["played", "does not compile", "no games yet"]);
    }

    #[test]
    fn a_bot_that_forfeits_every_game_gets_nothing() {
        let mut table = table(&["greedy", "random", "alice"], &[(3, 1, 0.0), (3, 2, 30.0)]);
        let (alice, grading) = ([participant("alice", 3)], grading(Measure::Estimate));
        let mut check = |illegal: usize, grade_expected: f64, reason: Option<&str>| {
            table.bots[2].faults = vec![(Verdict::Illegal, illegal), (Verdict::Re, 1)];
            let graded = grade(&alice, &[reference("greedy", 1), reference("random", 2)], &table, &grading);
            assert_eq!((graded[0].grade, graded[0].grade_range), (grade_expected, [grade_expected.min(80.0), grade_expected]));
            assert_eq!(graded[0].cause().map(|cause| cause.en), reason.map(str::to_owned));
        };
        check(7, 0.0, Some("forfeited all 8 games (ILLEGAL 7, RE 1)"));
        check(6, 100.0, None);
    }

    #[test]
    fn csv_for_spreadsheets() {
        let table = table(&["greedy", "张三"], &[(2, 1, -3.456)]);
        let (participants, grading) = ([participant("张三", 2), rejected("=cmd|' /C calc'!A0")], grading(Measure::Estimate));
        let references = [reference("greedy", 1)];
        let graded = grade(&participants, &references, &table, &grading);
        assert_eq!(
            csv(&graded, &references, Locale::Chinese),
            "\u{feff}\"提交\",\"成绩\",\"状态\",\"名次\",\"等级分\",\"平均得分\",\"得分下限\",\"得分上限\",\"局数\",\"出局次数\",\
             \"领先 greedy\",\"领先 greedy 下限\",\"领先 greedy 上限\",\"得 0 分的原因\",\"提交的 Bot\",\"编译命令（在成绩表所在的文件夹里运行）\"\r\n\
             \"张三\",\"80\",\"已参赛\",\"2\",\"1500\",\"50.00\",\"48.00\",\"52.00\",\"8\",\"3\",\"-3.46\",\"-5.46\",\"-1.46\",\"\",\"张三/bot.cpp (C++17)\",\"cd entries/1 && g++ bot.cpp\"\r\n\
             \"'=cmd|' /C calc'!A0\",\"0\",\"编译失败\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"bot.cpp:1: 错误\",\"'=cmd|' /C calc'!A0/bot.cpp (C++17)\",\"cd entries/2 && g++ bot.cpp\"\r\n"
        );
        let english = csv(&graded, &references, Locale::English);
        assert!(english.starts_with("\u{feff}\"name\",\"grade\",\"status\","), "{english}");
        assert!(english.contains("\"does not compile\""), "{english}");
        let columns: Vec<usize> = english.lines().map(|line| line.split("\",\"").count()).collect();
        assert_eq!(columns, [16, 16, 16]);
    }

    #[test]
    fn the_table_names_the_cause_of_a_failed_trial() {
        let mut carol = rejected("carol");
        let details = Bilingual::new("第 3 回合 TLE：用了 2 秒", "TLE in turn 3: it took 2 s");
        carol.bot = Err(Rejection { reason: RejectionReason::FailsTrial { kind: Verdict::Tle, turn: 3 }, details });
        let (participants, grading) = ([carol], grading(Measure::Estimate));
        let table = table(&["greedy"], &[]);
        let graded = grade(&participants, &[], &table, &grading);
        for (language, cause) in [
            (Locale::Chinese, "\"\",\"第 3 回合 TLE：用了 2 秒\",\"carol/"),
            (Locale::English, "\"\",\"TLE in turn 3: it took 2 s\",\"carol/"),
        ] {
            let csv = csv(&graded, &[], language);
            assert!(csv.contains(cause), "{csv}");
        }
    }

    #[test]
    fn the_table_quotes_the_line_that_says_most() {
        for (said, line) in [
            (
                "bot.cpp: In function ‘int main()’:\nbot.cpp:1:20: error: ‘x’ was not declared",
                "bot.cpp:1:20: error: ‘x’ was not declared",
            ),
            (
                "/usr/bin/ld: bot.o: undefined reference to `f()'\ncollect2: error: ld",
                "/usr/bin/ld: bot.o: undefined reference to `f()'",
            ),
            ("# command-line-arguments\n./bot.go:1:29: undefined: x", "./bot.go:1:29: undefined: x"),
            (
                "bot.pas(1,7) Error: Identifier not found \"x\"\nbot.pas(2) Fatal: There were 1 errors",
                "bot.pas(1,7) Error: Identifier not found \"x\"",
            ),
            ("error[E0425]: cannot find value `x`\n --> bot.rs:1:13", "error[E0425]: cannot find value `x`"),
        ] {
            assert_eq!(telling_line(said), line);
        }
    }

    #[test]
    fn formulas_and_quotes() {
        for name in ["=1+1", "+1", "-1", "@SUM", " =1", "\t1", "＝1"] {
            assert_eq!(escaped(name), format!("'{name}"));
        }
        assert_eq!(escaped("a=1-@"), "a=1-@");
        assert_eq!(quoted("a \"b\",\nc"), "\"a \"\"b\"\",\nc\"");
        assert_eq!([60.0, 87.5, 0.0, 100.0, 33.333].map(number), ["60", "87.5", "0", "100", "33.33"]);
    }

    #[test]
    fn json_for_the_page() {
        let table = table(&["greedy", "alice"], &[(2, 1, 1.0)]);
        let (participants, grading) = ([participant("alice", 2), rejected("bob")], grading(Measure::Estimate));
        let graded = grade(&participants, &[reference("greedy", 1)], &table, &grading);
        let json = to_json(&graded, &[Bilingual::new("好", "good"), Bilingual::new("坏", "bad")]);
        let alice = json!({
            "name": "alice", "grade": 100.0, "grade_low": 80.0, "grade_high": 100.0, "status": "ok", "bot": "alice@1", "place": 2,
            "points": { "value": 50.0, "low": 48.0, "high": 52.0 },
            "thresholds": [
                { "reference": "greedy", "at_least": 0.0, "grade": 100.0, "lead": { "value": 1.0, "low": -1.0, "high": 3.0 }, "reached": true },
                { "reference": "greedy", "at_least": -5.0, "grade": 80.0, "lead": { "value": 1.0, "low": -1.0, "high": 3.0 }, "reached": true },
                { "reference": "random", "at_least": 0.0, "grade": 60.0, "lead": null, "reached": false },
            ],
            "note_zh": "好", "note_en": "good",
        });
        assert_eq!(json[0], alice);
        let bob = &json[1];
        assert_eq!(bob["status"], "does-not-compile");
        assert!(["bot", "place", "points"].iter().all(|key| bob[key].is_null()), "{bob}");
    }
}
