//! `pacman2 doctor --hostile`: a match with each of the hostile bots, and a table of what came of it.
//!
//! Each sits on seat 0 of a short match, beside three witnesses that are shut in as well. It is held if its verdict is the
//! one that is written in its program, its deadline was kept, the judge's memory stayed small, the witnesses' orders were
//! what they would have been without it, no file and no socket of others was touched, the replay is true, and no process is
//! left. What may be the machine's doing, that stood still for a moment, is tried again.

mod range;
mod suite;

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use pacman2_bots::BuiltIn;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::session::Session;
use pacman2_maps::{Map, MapSize};
use pacman2_match::player::{Player, Request, Response};
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, MatchTurn, Players};
use pacman2_replay::{Replay, SeatInfo};
use pacman2_rules::{Action, BySeat, Ruleset, Seat};
use pacman2_runner::{Limits, Sandbox, Tier};
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::failure::bad_input;
use crate::map;
use crate::sandbox::Guard;
use crate::seats::{self, Bot, Manner};
use range::Range;
use suite::Hostile;

/// What a hostile bot is allowed: what Botzone allows.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_millis(1000)),
    cpu: Some(Duration::from_millis(1000)),
    memory_bytes: Some(256 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    tasks: Some(256),
};
/// Witnesses shall not be late because somebody else uses the processors: that is not promised.
const WITNESS_TIME: Duration = Duration::from_secs(30);
const TURNS: u32 = 3;
const SEED: i32 = 3;
/// How much later than the deadline a turn may be over, beyond the time in which the judge itself did not get a processor.
const LATE_AT_MOST: Duration = Duration::from_millis(50);
/// How often a program is tried again of which it is in doubt whether it or the machine was slow.
const TRIES_AGAIN: u32 = 2;
/// How much memory the judge may need for a match with a hostile bot.
const JUDGE_BYTES_AT_MOST: u64 = 48 * 1024 * 1024;
/// The built-in bot that two of the witnesses are.
const WITNESS: &str = "greedy";
/// What runs the hostile bots that are not in shell.
const PYTHON: &str = "python3";
const HOSTILE: Seat = Seat::ALL[0];
/// The witness that is attacked. It always stays.
const RIVAL: Seat = Seat::ALL[1];
/// What an attack says that has succeeded.
const ESCAPED: &str = "escaped: ";

pub(crate) fn run(args: &DoctorArgs, sandbox: Sandbox) -> anyhow::Result<ExitCode> {
    let all = suite::programs();
    let python = find_python();
    let chosen = choose(&all, &args.only)?;
    let guard = if args.in_the_open { Guard::open() } else { Guard::of(sandbox) };
    let (tier, groups) = (guard.tier(), guard.control_groups());
    let mut report = Report { args, tier, groups, total: chosen.len(), outcomes: Vec::new(), not_run: Vec::new() };
    for program in chosen {
        report.show_progress(program);
        match reason_not_to_run(program, python.as_deref(), tier, args.in_the_open) {
            Some(reason) => report.not_run.push((program, reason)),
            None => {
                let python = python.as_deref().unwrap_or(Path::new(PYTHON));
                let outcome = until_there_is_no_doubt(|| try_out(program, python, &guard, args.in_the_open));
                report.add(outcome.with_context(|| format!("the match with {}", program.name))?)?;
            }
        }
    }
    report.end()
}

fn choose<'a>(programs: &'a [Hostile], only: &[String]) -> anyhow::Result<Vec<&'a Hostile>> {
    for name in only {
        if !programs.iter().any(|program| program.name == *name) {
            let near = programs.iter().max_by(|a, b| {
                let likeness = |program: &Hostile| strsim::jaro_winkler(program.name, name);
                likeness(a).total_cmp(&likeness(b))
            });
            let near = near.map_or("", |program| program.name);
            return Err(bad_input(format!("--only {name}: there is no such hostile bot; did you mean \"{near}\"?")));
        }
    }
    Ok(programs.iter().filter(|program| only.is_empty() || only.iter().any(|name| program.name == *name)).collect())
}

/// Python itself: what is called so may be a script that looks for it, and takes longer than a hostile bot has.
fn find_python() -> Option<PathBuf> {
    let told = Command::new(PYTHON).args(["-c", "import sys; print(sys.executable)"]).stderr(Stdio::null()).output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
    path.is_file().then_some(path)
}

/// Why a program is not tried. One of the witnesses is in Python, whatever the hostile bot is in.
fn reason_not_to_run(program: &Hostile, python: Option<&Path>, tier: Tier, in_the_open: bool) -> Option<String> {
    if python.is_none() {
        return Some(format!("{PYTHON} is missing"));
    }
    if in_the_open {
        let escapes = program.escapes || program.escapes_as_root && rustix::process::geteuid().is_root();
        return (!escapes).then(|| "it is no attack that may be tried in the open".to_owned());
    }
    (!program.tiers.contains(&tier)).then(|| format!("tier {tier} does not promise to hold it"))
}

/// What came of a hostile bot.
struct Outcome<'a> {
    program: &'a Hostile,
    /// Its first verdict that was not OK, or OK.
    verdict: &'static str,
    /// Why it was not held; nothing if it was.
    wrong: Vec<String>,
    /// Nothing is wrong but what a machine may do that stands still for a moment.
    doubt: Option<Doubt>,
    /// How often it was tried again, and what was wrong before.
    tried_again: u32,
    wrong_before: Vec<String>,
    /// How much later than the deadline its latest turn was over, in any try.
    late: Duration,
    /// How much more memory the judge needed than before.
    judge_bytes: u64,
}

/// What may be wrong if the machine stood still, and no fault of the sandbox.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Doubt {
    /// A turn was over too late.
    Late,
    /// The program was too slow for what it is to show: it ran out of time, or did not succeed in the open.
    Slow,
}

/// Tries a program, and again if that leaves a doubt.
///
/// Who was late has to be in time whenever it is tried again, or a sandbox that is late now and then would come off well.
/// Who was too slow to show what it is for has to be quick enough once.
fn until_there_is_no_doubt<'a>(mut try_out: impl FnMut() -> anyhow::Result<Outcome<'a>>) -> anyhow::Result<Outcome<'a>> {
    let mut outcome = try_out()?;
    let Some(doubt) = outcome.doubt else { return Ok(outcome) };
    for tried_again in 1..=TRIES_AGAIN {
        let again = try_out()?;
        let late = outcome.late.max(again.late);
        let mut wrong_before = outcome.wrong_before;
        wrong_before.extend(outcome.wrong);
        outcome = Outcome { tried_again, wrong_before, late, ..again };
        let is_decided = match doubt {
            Doubt::Late => !outcome.wrong.is_empty(),
            Doubt::Slow => outcome.doubt != Some(Doubt::Slow),
        };
        if is_decided {
            break;
        }
    }
    Ok(outcome)
}

/// Plays the match.
fn try_out<'a>(program: &'a Hostile, python: &Path, guard: &Guard, in_the_open: bool) -> anyhow::Result<Outcome<'a>> {
    let range = Range::set_up(program, python)?;
    let watch = Arc::new(Watch::default());
    let mut players = seat(guard, &range, &watch)?;
    let map = map::generate(SEED, MapSize::default(), Ruleset { turn_limit: TURNS, ..Ruleset::default() })?;

    let before = memory::begin();
    let turns = referee::play(map.clone(), &mut players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| {});
    drop(players);
    pacman2_runner::sweep();
    let judge_bytes = memory::peak().saturating_sub(before);

    let said = || turns.iter().filter_map(|played| played.said[HOSTILE].as_ref());
    let escape = said().find_map(|said| said.output.strip_prefix(ESCAPED));
    let verdict = turns.iter().filter_map(|played| verdict_of(played, HOSTILE)).find(|verdict| *verdict != "OK").unwrap_or("OK");
    let late = watch.latest();
    let outcome = |wrong: Vec<String>, doubt| Outcome {
        program,
        verdict,
        wrong,
        doubt,
        tried_again: 0,
        wrong_before: Vec::new(),
        late,
        judge_bytes,
    };
    if in_the_open {
        let failure = escape.is_none().then(|| "it did not succeed in the open, so it proves nothing".to_owned());
        let doubt = failure.is_some().then_some(Doubt::Slow);
        return Ok(outcome(failure.into_iter().collect(), doubt));
    }
    let (mut wrong, mut doubtful) = (Vec::new(), Vec::new());
    if late > LATE_AT_MOST {
        doubtful.push((Doubt::Late, format!("its turn was over {} ms after the deadline", late.as_millis())));
    }
    match escape {
        Some(what) => wrong.push(format!("it succeeded: {}", what.trim())),
        None if program.forks && !guard.lets_fork() => {}
        None if !program.verdicts.contains(&verdict) => {
            let what = format!("{verdict} instead of {}", program.verdicts.join(" or "));
            if verdict == "TLE" { doubtful.push((Doubt::Slow, what)) } else { wrong.push(what) }
        }
        None => {}
    }
    if judge_bytes > JUDGE_BYTES_AT_MOST {
        wrong.push(format!("the judge needed {} MB", judge_bytes >> 20));
    }
    wrong.extend(differences(&map, &turns));
    wrong.extend(check_replay(&map, &turns, guard.tier()).err());
    wrong.extend(range.traces());
    let doubt = doubtful.first().map(|(doubt, _)| *doubt).filter(|_| wrong.is_empty());
    wrong.extend(doubtful.into_iter().map(|(_, what)| what));
    Ok(outcome(wrong, doubt))
}

/// The hostile bot and its three witnesses: one that is a rival to be attacked, and two built-in bots as processes.
fn seat(guard: &Guard, range: &Range, watch: &Arc<Watch>) -> anyhow::Result<Players> {
    let this = env::current_exe().context("this program cannot be found to be run again")?;
    let running = shlex::try_join([&*this.to_string_lossy(), "bot", WITNESS, "--keep-running"])?;
    let texts = [range.hostile_command()?, range.rival_command()?, WITNESS.to_owned(), running];
    let files: Vec<PathBuf> = texts.iter().flat_map(|text| seats::files_of(text)).collect();
    let sit = |text: &str, limits: Limits| -> anyhow::Result<Box<dyn Player>> {
        let bot = Bot::find(text, guard)?;
        // All are under the same limits, whatever their language.
        let shorter = |time: Option<Duration>| time.map(|time| time / bot.time_factor());
        let limits = Limits { wall: shorter(limits.wall), cpu: shorter(limits.cpu), ..limits };
        let manner = Manner { limits, as_process: true, ruleset: Ruleset::default(), files: files.clone() };
        Ok(bot.sit(&manner, guard, String::new())?.player)
    };
    let patient = Limits { wall: Some(WITNESS_TIME), cpu: Some(WITNESS_TIME), ..LIMITS };
    let hostile = Box::new(Watched { player: sit(&texts[0], LIMITS)?, watch: Arc::clone(watch) });
    Ok(BySeat([hostile, sit(&texts[1], patient)?, sit(&texts[2], patient)?, sit(&texts[3], patient)?]))
}

/// How late a bot's turns were over.
#[derive(Default)]
struct Watch {
    latest_us: AtomicU64,
}

impl Watch {
    fn latest(&self) -> Duration {
        Duration::from_micros(self.latest_us.load(Ordering::Relaxed))
    }
}

/// A player of whom it is watched how long it takes until everything of its turn is over.
struct Watched {
    player: Box<dyn Player>,
    watch: Arc<Watch>,
}

impl Player for Watched {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let (begin, waited_before) = (Instant::now(), waited_for_processor());
        let said = self.player.ask(asked);
        let elapsed = begin.elapsed();
        let waited = waited_for_processor().saturating_sub(waited_before);
        let late = elapsed.saturating_sub(LIMITS.wall.unwrap_or_default()).saturating_sub(waited);
        self.watch.latest_us.fetch_max(late.as_micros() as u64, Ordering::Relaxed);
        said
    }

    fn globaldata(&self) -> &str {
        self.player.globaldata()
    }
}

/// How long this thread was ready to run and had no processor, since it began.
fn waited_for_processor() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').nth(1).and_then(|wait| wait.parse().ok()).unwrap_or_default())
}

/// What the judge, that is this process, needs of memory.
mod memory {
    use std::fs;

    /// Forgets the peak until now, and returns what is resident.
    pub(super) fn begin() -> u64 {
        let _ = fs::write("/proc/self/clear_refs", "5");
        kilobytes("VmRSS:")
    }

    /// The most that was resident since then.
    pub(super) fn peak() -> u64 {
        kilobytes("VmHWM:")
    }

    fn kilobytes(name: &str) -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default() * 1024
    }
}

/// A seat's verdict in a turn, as the replay has it.
fn verdict_of(played: &MatchTurn, seat: Seat) -> Option<&'static str> {
    let said = played.said[seat].as_ref()?;
    let is_illegal = said.verdict == Verdict::Ok && said.complaint.is_some();
    Some(if is_illegal { "ILLEGAL" } else { said.verdict.name() })
}

/// Where witnesses did not do what they would have done without the hostile bot, whose own orders are taken as they were.
fn differences(map: &Map, turns: &[MatchTurn]) -> Vec<String> {
    let witness = BuiltIn::named(WITNESS).expect("it is built in");
    let mut table = Session::new(map.clone());
    let mut found = Vec::new();
    for (number, played) in (1..).zip(turns) {
        for seat in Seat::ALL.into_iter().filter(|seat| *seat != HOSTILE) {
            let Some(said) = &played.said[seat] else { continue };
            let game = table.game();
            let action = if seat == RIVAL { Action::Stay } else { (witness.decide)(game, seat, map.seed) };
            if said.verdict != Verdict::Ok || said.heard.action() != action {
                let complaint = said.complaint.as_deref().unwrap_or("another order");
                found.push(format!("player {seat} was disturbed in turn {number}: {complaint}"));
            }
        }
        table.play(&BySeat::from_fn(|seat| played.said[seat].as_ref().map(|said| said.heard.clone())));
    }
    found
}

/// The replay can be read, and agrees with the rules.
fn check_replay(map: &Map, turns: &[MatchTurn], tier: Tier) -> Result<(), String> {
    let seats = BySeat::from_fn(|seat| SeatInfo::named(seat.to_string()));
    let text = record(map, seats, limits_info(LIMITS), BySeat::from_fn(|_| Some(tier)), turns).write();
    let replay = Replay::read(&text).map_err(|error| format!("its replay cannot be read: {error}"))?;
    replay.verify().map(drop).map_err(|error| format!("its replay is wrong: {error}"))
}

/// The table as it grows: lines for people, one object for machines.
struct Report<'a> {
    args: &'a DoctorArgs,
    tier: Tier,
    groups: Option<Vec<&'static str>>,
    total: usize,
    outcomes: Vec<Outcome<'a>>,
    not_run: Vec<(&'a Hostile, String)>,
}

/// How wide the names of programs are shown.
const NAME_WIDTH: usize = 34;

impl<'a> Report<'a> {
    fn show_progress(&self, program: &Hostile) {
        if io::stderr().is_terminal() {
            let done = self.outcomes.len() + self.not_run.len() + 1;
            eprint!("\r\x1b[K{done} of {}: {}", self.total, program.name);
        }
    }

    fn hide_progress(&self) {
        if io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
    }

    fn add(&mut self, outcome: Outcome<'a>) -> io::Result<()> {
        self.hide_progress();
        if !self.args.json {
            let Outcome { program, verdict, wrong, tried_again, wrong_before, late, .. } = &outcome;
            let mark = if wrong.is_empty() { "held" } else { "BROKEN" };
            let late = if late.is_zero() { String::new() } else { format!(" +{} ms", late.as_millis()) };
            writeln!(io::stdout(), "{mark:6}  {:NAME_WIDTH$}  {verdict:7}{late:8}  {}", program.name, program.trick)?;
            for reason in wrong {
                writeln!(io::stdout(), "        {reason}")?;
            }
            if *tried_again > 0 {
                writeln!(io::stdout(), "        tried again ({tried_again}), for before: {}", wrong_before.join("; "))?;
            }
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    fn end(self) -> anyhow::Result<ExitCode> {
        self.hide_progress();
        let broken = self.outcomes.iter().filter(|outcome| !outcome.wrong.is_empty()).count();
        let tried_again = self.outcomes.iter().filter(|outcome| outcome.tried_again > 0).count();
        let latest = self.outcomes.iter().map(|outcome| outcome.late).max().unwrap_or_default();
        let most = self.outcomes.iter().map(|outcome| outcome.judge_bytes).max().unwrap_or_default();
        let mut out = io::stdout();
        if self.args.json {
            let program = |outcome: &Outcome<'_>| {
                json!({
                    "name": outcome.program.name,
                    "trick": outcome.program.trick,
                    "expected": outcome.program.verdicts,
                    "verdict": outcome.verdict,
                    "held": outcome.wrong.is_empty(),
                    "wrong": outcome.wrong,
                    "tried_again": outcome.tried_again,
                    "wrong_before": outcome.wrong_before,
                    "late_ms": outcome.late.as_secs_f64() * 1000.0,
                    "judge_bytes": outcome.judge_bytes,
                })
            };
            let programs: Vec<Value> = self.outcomes.iter().map(program).collect();
            let not_run = self.not_run.iter().map(|(program, reason)| json!({ "name": program.name, "reason": reason }));
            let report = json!({
                "tier": self.tier.name(),
                "control_groups": self.groups,
                "in_the_open": self.args.in_the_open,
                "held": broken == 0,
                "programs": programs,
                "not_run": not_run.collect::<Vec<_>>(),
            });
            writeln!(out, "{report}")?;
        } else {
            for (program, reason) in &self.not_run {
                writeln!(out, "not run {:NAME_WIDTH$}  {reason}", program.name)?;
            }
            writeln!(
                out,
                "\ntier {}{}: {} of {} hostile bots held, {} not run, {} tried again; at most {:.1} ms after the deadline, \
                 {:.1} MB for the judge",
                self.tier,
                groups_in_words(self.groups.as_deref()),
                self.outcomes.len() - broken,
                self.outcomes.len(),
                self.not_run.len(),
                tried_again,
                latest.as_secs_f64() * 1000.0,
                most as f64 / (1024.0 * 1024.0),
            )?;
        }
        Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn groups_in_words(groups: Option<&[&'static str]>) -> String {
    match groups {
        None => " without control groups".to_owned(),
        Some([]) => " with control groups".to_owned(),
        Some(controllers) => format!(" with control groups ({})", controllers.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a try ends.
    #[derive(Clone, Copy, PartialEq)]
    enum Try {
        Held,
        Late,
        Slow,
        Broken,
    }
    use Try::{Broken, Held, Late, Slow};

    /// Tries that end so, one after the other, and no other, come to this in the end.
    #[track_caller]
    fn check(tries: &[Try], is_held: bool) {
        let programs = suite::programs();
        let mut left = tries.iter();
        let outcome = until_there_is_no_doubt(|| {
            let ends = *left.next().expect("it would be tried once more");
            Ok(Outcome {
                program: &programs[0],
                verdict: "OK",
                wrong: if ends == Held { Vec::new() } else { vec!["something".to_owned()] },
                doubt: [(Late, Doubt::Late), (Slow, Doubt::Slow)].iter().find(|(of, _)| *of == ends).map(|(_, doubt)| *doubt),
                tried_again: 0,
                wrong_before: Vec::new(),
                late: if ends == Late { Duration::from_millis(471) } else { Duration::ZERO },
                judge_bytes: 0,
            })
        });
        let outcome = outcome.unwrap();
        assert_eq!(left.len(), 0, "it was tried too seldom");
        assert_eq!(outcome.wrong.is_empty(), is_held);
        assert_eq!(outcome.tried_again as usize, tries.len() - 1);
        assert_eq!(outcome.wrong_before.len(), tries[..tries.len() - 1].iter().filter(|&&ended| ended != Held).count());
        assert_eq!(outcome.late.as_millis(), if tries.contains(&Late) { 471 } else { 0 });
    }

    #[test]
    fn what_is_beyond_doubt_is_not_tried_again() {
        check(&[Held], true);
        check(&[Broken], false);
    }

    #[test]
    fn who_was_late_has_to_be_in_time_from_then_on() {
        check(&[Late, Held, Held], true);
        check(&[Late, Late], false);
        check(&[Late, Held, Late], false);
        check(&[Late, Broken], false);
        check(&[Late, Slow], false);
    }

    #[test]
    fn who_was_too_slow_has_to_be_quick_enough_once() {
        check(&[Slow, Held], true);
        check(&[Slow, Slow, Held], true);
        check(&[Slow, Slow, Slow], false);
        check(&[Slow, Broken], false);
        check(&[Slow, Late], false);
    }
}
