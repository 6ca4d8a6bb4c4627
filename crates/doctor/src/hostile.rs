//! Plays a match with each hostile bot, and prints a table of the results.
//!
//! The hostile bot has seat 0 of a short match with three witnesses, which are sandboxed too. It is contained if it gets a
//! verdict that its header expects, its deadline is enforced, the judge needs little memory, the witnesses choose the actions
//! that they would choose without it, it reaches no file or socket of others, the replay is valid, and no process is left. A
//! match whose result may be due to a stall of the machine is played again.

mod suite;
mod testbed;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{Bot, BotMemory, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bots::BuiltIn;
use pacman2_botzone::JsonText;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::session::Session;
use pacman2_console::error::bad_input;
use pacman2_console::json_output::labelled;
use pacman2_console::map_source;
use pacman2_console::progress::ProgressLine;
use pacman2_console::stdout::stdout;
use pacman2_console::text::label;
use pacman2_maps::{Map, MapSize};
use pacman2_match::player::{Player, Request, Response};
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, MachineFault, MatchTurn, Players};
use pacman2_replay::{Replay, SeatInfo, TurnInfo};
use pacman2_rules::{Action, BySeat, Ruleset, Seat};
use pacman2_runner::{Limits, Sandbox, Tier, own_ready_wait};
use serde_json::{Value, json};

use super::DoctorOptions;
use suite::HostileBot;
use testbed::Testbed;

/// The limits of a hostile bot: those of Botzone.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_millis(1000)),
    cpu: Some(Duration::from_millis(1000)),
    memory_bytes: Some(256 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    tasks: Some(256),
};
/// The time limit of the witnesses. It is generous, because the sandbox does not promise equal shares of the processors.
const WITNESS_TIME: Duration = Duration::from_secs(30);
const TURNS: u32 = 3;
/// The turns of a match with bots that attack by what piles up.
const ALL_TURNS: u32 = 100;
const SEED: i32 = 3;
/// How late a turn may end after the deadline, without the time in which the judge itself waited for a processor.
const MAX_DELAY: Duration = Duration::from_millis(50);
/// How often a match is played again if either the bot or the machine may have been slow.
const MAX_RETRIES: u32 = 2;
/// The most memory that the judge may need for a match with a hostile bot.
const MAX_JUDGE_BYTES: u64 = 48 * 1024 * 1024;
/// The most memory that the judge may need for a whole match between four such bots, with its replay.
const MAX_JUDGE_BYTES_OF_FOUR: u64 = 64 * 1024 * 1024;
/// The most bytes that the replay of such a match may have.
const MAX_REPLAY_BYTES: usize = 4 * 1024 * 1024;
/// The built-in bot of two witnesses.
const WITNESS: &str = "greedy";
/// The interpreter of the hostile bots that are not shell scripts.
const PYTHON: &str = "python3";
/// The seat of the hostile bot.
const HOSTILE: Seat = Seat::ALL[0];
/// The seat of the witness that is attacked. It stays in every turn.
const RIVAL: Seat = Seat::ALL[1];
/// How the output of an attack that succeeded begins.
const ESCAPED: &str = "escaped: ";

pub(super) fn run(options: &DoctorOptions, sandbox: Sandbox) -> anyhow::Result<ExitCode> {
    let all = suite::bots();
    let python = find_python();
    let chosen = choose(&all, &options.only)?;
    let policy = if options.in_the_open { SandboxPolicy::trust_all() } else { SandboxPolicy::for_all(sandbox) };
    let (tier, groups) = (policy.tier(), policy.control_groups());
    let witnesses = built_in_witnesses(&policy)?;
    let mut report = Report {
        options,
        tier,
        groups,
        total: chosen.len(),
        progress: ProgressLine::for_terminal(),
        outcomes: Vec::new(),
        skipped: Vec::new(),
    };
    for bot in chosen {
        report.show_progress(bot);
        match reason_to_skip(bot, python.as_deref(), tier, options.in_the_open) {
            Some(reason) => report.skipped.push((bot, reason)),
            None => {
                let python = python.as_deref().unwrap_or(Path::new(PYTHON));
                let outcome = retry_while_in_doubt(|| play_match(bot, &witnesses, python, &policy, options.in_the_open));
                report.add(outcome.with_context(|| format!("in the match with {}", bot.name))?)?;
            }
        }
    }
    report.end()
}

fn choose<'a>(bots: &'a [HostileBot], only: &[String]) -> anyhow::Result<Vec<&'a HostileBot>> {
    for name in only {
        if !bots.iter().any(|bot| bot.name == *name) {
            let similarity = |bot: &&HostileBot| strsim::jaro_winkler(bot.name, name);
            let similar = bots.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
            let similar = similar.map_or("", |bot| bot.name);
            return Err(bad_input(format!("--only {name}: no such hostile bot; did you mean \"{similar}\"?")));
        }
    }
    Ok(bots.iter().filter(|bot| only.is_empty() || only.iter().any(|name| bot.name == *name)).collect())
}

/// Finds Python itself. The command may be a script that looks for it and takes longer than the time limit of a hostile bot.
fn find_python() -> Option<PathBuf> {
    let output = Command::new(PYTHON).args(["-c", "import sys; print(sys.executable)"]).stderr(Stdio::null()).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_file().then_some(path)
}

/// Returns why a bot is skipped, if it is. All matches need Python, because a witness is written in it.
fn reason_to_skip(bot: &HostileBot, python: Option<&Path>, tier: Tier, in_the_open: bool) -> Option<String> {
    if python.is_none() {
        return Some(format!("{PYTHON} is not installed"));
    }
    if in_the_open {
        let escapes = bot.escapes || bot.escapes_as_root && rustix::process::geteuid().is_root();
        return (!escapes).then(|| "it may not run without a sandbox".to_owned());
    }
    (!bot.tiers.contains(&tier)).then(|| format!("tier {tier} does not promise to contain it"))
}

/// The result of a match with a hostile bot.
struct Outcome<'a> {
    bot: &'a HostileBot,
    /// Its first fault, or OK.
    verdict: Verdict,
    /// Why it was not contained; empty if it was.
    wrong: Vec<String>,
    /// Set if a stall of the machine can explain all that is wrong.
    doubt: Option<Doubt>,
    /// How often the match was played again.
    retries: u32,
    /// What was wrong in the earlier matches.
    wrong_before: Vec<String>,
    /// The longest delay of a turn after its deadline, in all matches.
    delay: Duration,
    /// How much memory the judge needed for the match.
    judge_bytes: u64,
}

impl<'a> Outcome<'a> {
    /// Returns the outcome of a match that the machine, or the bot through it, has broken off.
    fn broken(bot: &'a HostileBot, fault: &MachineFault) -> Outcome<'a> {
        Outcome {
            bot,
            verdict: Verdict::Ok,
            wrong: vec![fault.to_string()],
            doubt: None,
            retries: 0,
            wrong_before: Vec::new(),
            delay: Duration::ZERO,
            judge_bytes: 0,
        }
    }
}

/// What may be wrong because the machine stalled.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Doubt {
    /// A turn ended too late.
    Late,
    /// The bot was too slow for its attack: it ran out of time, or did not succeed without a sandbox.
    Slow,
}

/// Plays a match, and plays it again while the result is in doubt.
///
/// After a late turn, all further matches must be in time; otherwise a sandbox that is late now and then would pass. A bot that
/// was too slow for its attack must be fast enough once.
fn retry_while_in_doubt<'a>(mut play: impl FnMut() -> anyhow::Result<Outcome<'a>>) -> anyhow::Result<Outcome<'a>> {
    let mut outcome = play()?;
    let Some(doubt) = outcome.doubt else { return Ok(outcome) };
    for retries in 1..=MAX_RETRIES {
        let again = play()?;
        let delay = outcome.delay.max(again.delay);
        let mut wrong_before = outcome.wrong_before;
        wrong_before.extend(outcome.wrong);
        outcome = Outcome { retries, wrong_before, delay, ..again };
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

/// Finds the witnesses that are built-in bots, one of them started anew in each turn.
fn built_in_witnesses(policy: &SandboxPolicy) -> anyhow::Result<[Bot; 2]> {
    let this = env::current_exe().context("cannot find the path of this program")?;
    let running = shlex::try_join([&*this.to_string_lossy(), "bot", WITNESS, "--keep-running"])?;
    Ok([Bot::find(&WITNESS.parse()?, policy)?, Bot::find(&running.parse()?, policy)?])
}

/// Plays a match with a hostile bot.
fn play_match<'a>(
    bot: &'a HostileBot,
    witnesses: &[Bot; 2],
    python: &Path,
    policy: &SandboxPolicy,
    in_the_open: bool,
) -> anyhow::Result<Outcome<'a>> {
    let testbed = Testbed::set_up(bot, LIMITS, python)?;
    let delay = Arc::new(MaxDelay::default());
    let mut players = seat(policy, &testbed, &delay, bot, witnesses)?;
    let turn_limit = if bot.piles_up { ALL_TURNS } else { TURNS };
    let map = map_source::generate(SEED, MapSize::default(), Ruleset { turn_limit, ..Ruleset::default() })?;

    let before = memory::begin();
    let played = referee::play(map.clone(), &mut players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| {});
    drop(players);
    pacman2_runner::sweep();
    let turns = match played {
        Ok(turns) => turns,
        Err(fault) => return Ok(Outcome::broken(bot, &fault)),
    };
    // The replay is a part of what piles up.
    let written = bot.piles_up.then(|| write_replay(&map, &turns, policy.tier()));
    let judge_bytes = memory::peak().saturating_sub(before);

    let responses = || turns.iter().filter_map(|played| played.responses[HOSTILE].as_ref());
    let escape = responses().find_map(|response| response.output.strip_prefix(ESCAPED));
    let mut verdicts = turns.iter().filter_map(|played| TurnInfo::from_turn(&played.turn).verdicts[HOSTILE.index()]);
    let verdict = verdicts.find(|verdict| verdict.is_fault()).unwrap_or(Verdict::Ok);
    let delay = delay.get();
    let outcome = |wrong: Vec<String>, doubt| Outcome {
        bot,
        verdict,
        wrong,
        doubt,
        retries: 0,
        wrong_before: Vec::new(),
        delay,
        judge_bytes,
    };
    if in_the_open {
        let failure = escape.is_none().then(|| "it did not succeed without a sandbox, so it proves nothing".to_owned());
        let doubt = failure.is_some().then_some(Doubt::Slow);
        return Ok(outcome(failure.into_iter().collect(), doubt));
    }
    let (mut wrong, mut doubtful) = (Vec::new(), Vec::new());
    if delay > MAX_DELAY {
        doubtful.push((Doubt::Late, format!("its turn ended {} ms after the deadline", delay.as_millis())));
    }
    match escape {
        Some(what) => wrong.push(format!("it succeeded: {}", what.trim())),
        None if bot.forks && !policy.allows_fork() => {}
        None if !bot.verdicts.contains(&verdict) => {
            let expected: Vec<&str> = bot.verdicts.iter().map(|verdict| verdict.name()).collect();
            let what = format!("expected {}, got {verdict}", expected.join(" or "));
            if verdict == Verdict::Tle { doubtful.push((Doubt::Slow, what)) } else { wrong.push(what) }
        }
        None => {}
    }
    if judge_bytes > if bot.piles_up { MAX_JUDGE_BYTES_OF_FOUR } else { MAX_JUDGE_BYTES } {
        wrong.push(format!("the judge needed {} MB", judge_bytes >> 20));
    }
    if bot.piles_up {
        wrong.extend((turns.len() < ALL_TURNS as usize).then(|| format!("the match ended after {} turns", turns.len())));
    } else {
        wrong.extend(differences(&map, &turns));
    }
    let written = written.unwrap_or_else(|| write_replay(&map, &turns, policy.tier()));
    if written.len() > MAX_REPLAY_BYTES {
        wrong.push(format!("its replay has {} KiB", written.len() >> 10));
    }
    wrong.extend(check_replay(&written).err().map(|error| format!("{error:#}")));
    wrong.extend(testbed.traces());
    let doubt = doubtful.first().map(|(doubt, _)| *doubt).filter(|_| wrong.is_empty());
    wrong.extend(doubtful.into_iter().map(|(_, what)| what));
    Ok(outcome(wrong, doubt))
}

/// Starts the hostile bot and its three witnesses: the rival that it attacks, and two built-in bots as processes. A bot that
/// piles up has all four seats. A rival that computes has no more time than the hostile bot.
fn seat(
    policy: &SandboxPolicy,
    testbed: &Testbed,
    delay: &Arc<MaxDelay>,
    bot: &HostileBot,
    witnesses: &[Bot; 2],
) -> anyhow::Result<Players> {
    let [one, other] = witnesses;
    let hostile: BotArgument = testbed.hostile_command()?.parse()?;
    let rival: BotArgument = testbed.rival_command()?.parse()?;
    let files = [hostile.source.files(), rival.source.files(), one.files.clone(), other.files.clone()];
    let hidden = Hidden { bots: files.concat(), folders: Vec::new() };
    let start = |bot: &Bot, limits: Limits| -> anyhow::Result<Box<dyn Player>> {
        // All languages get the same time.
        let shorter = |time: Option<Duration>| time.map(|time| time / bot.time_factor());
        let limits = Limits { wall: shorter(limits.wall), cpu: shorter(limits.cpu), ..limits };
        let config = PlayerConfig { limits, as_process: true, ruleset: Ruleset::default(), hidden: hidden.clone() };
        Ok(bot.start(&config, policy, BotMemory::default())?.player)
    };
    let generous = Limits { wall: Some(WITNESS_TIME), cpu: Some(WITNESS_TIME), ..LIMITS };
    let hostile = Bot::find(&hostile, policy)?;
    if bot.piles_up {
        let [a, b, c, d] = [(); 4].map(|()| start(&hostile, generous));
        return Ok(BySeat([a?, b?, c?, d?]));
    }
    let rival = Bot::find(&rival, policy)?;
    let hostile = Box::new(TimedPlayer { player: start(&hostile, LIMITS)?, delay: Arc::clone(delay) });
    let of_rival = if bot.busy_rival { LIMITS } else { generous };
    Ok(BySeat([hostile, start(&rival, of_rival)?, start(one, generous)?, start(other, generous)?]))
}

/// The longest delay of a turn after its deadline.
#[derive(Default)]
struct MaxDelay {
    us: AtomicU64,
}

impl MaxDelay {
    fn get(&self) -> Duration {
        Duration::from_micros(self.us.load(Ordering::Relaxed))
    }
}

/// A player whose delays after the deadline are measured.
struct TimedPlayer {
    player: Box<dyn Player>,
    delay: Arc<MaxDelay>,
}

impl Player for TimedPlayer {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let (begin, waited_before) = (Instant::now(), own_ready_wait());
        let response = self.player.ask(asked);
        let elapsed = begin.elapsed();
        let waited = own_ready_wait().saturating_sub(waited_before);
        let deadline = LIMITS.wall.unwrap_or_default() + response.usage.ready_wait;
        let delay = elapsed.saturating_sub(deadline).saturating_sub(waited);
        self.delay.us.fetch_max(delay.as_micros() as u64, Ordering::Relaxed);
        response
    }

    fn globaldata(&self) -> JsonText {
        self.player.globaldata()
    }
}

/// The memory of the judge, which is this process.
mod memory {
    use std::fs;

    /// Resets the peak, and returns the resident memory in bytes.
    pub(super) fn begin() -> u64 {
        let _ = fs::write("/proc/self/clear_refs", "5");
        kilobytes("VmRSS:")
    }

    /// Returns the peak of the resident memory since [`begin`], in bytes.
    pub(super) fn peak() -> u64 {
        kilobytes("VmHWM:")
    }

    fn kilobytes(name: &str) -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or_default() * 1024
    }
}

/// Returns where witnesses did not choose the actions that they would choose without the hostile bot.
fn differences(map: &Map, turns: &[MatchTurn]) -> Vec<String> {
    let witness: BuiltIn = WITNESS.parse().expect("the witness is a built-in bot");
    let mut session = Session::new(map.clone());
    let mut found = Vec::new();
    for (number, played) in (1..).zip(turns) {
        for seat in Seat::ALL.into_iter().filter(|seat| *seat != HOSTILE) {
            let Some(response) = &played.responses[seat] else { continue };
            let game = session.game();
            let action = if seat == RIVAL { Action::Stay } else { (witness.decide)(game, seat, map.seed) };
            if response.verdict() != Verdict::Ok || response.parsed.action() != action {
                let complaint = response.complaint.as_ref().map_or("another action".to_owned(), ToString::to_string);
                found.push(format!("player {seat} was disturbed in turn {number}: {complaint}"));
            }
        }
        session.play(&BySeat::from_fn(|seat| played.responses[seat].as_ref().map(|response| response.parsed.clone())));
    }
    found
}

fn write_replay(map: &Map, turns: &[MatchTurn], tier: Tier) -> String {
    let seats = BySeat::from_fn(|seat| SeatInfo::named(seat.to_string()));
    record(map, seats, limits_info(LIMITS), BySeat::from_fn(|_| Some(tier)), turns).write()
}

/// Checks that the replay can be read and agrees with the rules.
fn check_replay(text: &str) -> anyhow::Result<()> {
    let replay = Replay::read(text).context("its replay cannot be read")?;
    replay.verify().context("its replay is wrong")?;
    Ok(())
}

/// The table of results: a line per bot while the suite runs, or JSON at the end.
struct Report<'a> {
    options: &'a DoctorOptions,
    tier: Tier,
    groups: Option<Vec<&'static str>>,
    total: usize,
    progress: ProgressLine,
    outcomes: Vec<Outcome<'a>>,
    skipped: Vec<(&'a HostileBot, String)>,
}

/// The width of the names in the table.
const NAME_WIDTH: usize = 34;

impl<'a> Report<'a> {
    fn show_progress(&mut self, bot: &HostileBot) {
        let done = self.outcomes.len() + self.skipped.len() + 1;
        self.progress.show(format_args!("{done} of {}: {}", self.total, bot.name));
    }

    fn add(&mut self, outcome: Outcome<'a>) -> io::Result<()> {
        self.progress.clear();
        if !self.options.json {
            let Outcome { bot, verdict, wrong, retries, wrong_before, delay, .. } = &outcome;
            let mark = label(if wrong.is_empty() { "held" } else { "BROKEN" }, 6);
            let delay = if delay.is_zero() { String::new() } else { format!(" +{} ms", delay.as_millis()) };
            writeln!(stdout(), "{mark}  {:NAME_WIDTH$}  {verdict:7}{delay:8}  {}", bot.name, bot.trick)?;
            for reason in wrong {
                writeln!(stdout(), "        {reason}")?;
            }
            if *retries > 0 {
                writeln!(stdout(), "        played again ({retries}) because of: {}", wrong_before.join("; "))?;
            }
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    fn end(mut self) -> anyhow::Result<ExitCode> {
        self.progress.clear();
        let broken = self.outcomes.iter().filter(|outcome| !outcome.wrong.is_empty()).count();
        let retried = self.outcomes.iter().filter(|outcome| outcome.retries > 0).count();
        let max_delay = self.outcomes.iter().map(|outcome| outcome.delay).max().unwrap_or_default();
        let max_judge_bytes = self.outcomes.iter().map(|outcome| outcome.judge_bytes).max().unwrap_or_default();
        let mut out = stdout();
        if self.options.json {
            let program = |outcome: &Outcome<'_>| {
                json!({
                    "name": outcome.bot.name,
                    "trick": outcome.bot.trick,
                    "expected": outcome.bot.verdicts,
                    "verdict": outcome.verdict,
                    "held": outcome.wrong.is_empty(),
                    "wrong": outcome.wrong,
                    "tried_again": outcome.retries,
                    "wrong_before": outcome.wrong_before,
                    "late_ms": outcome.delay.as_secs_f64() * 1000.0,
                    "judge_bytes": outcome.judge_bytes,
                })
            };
            let programs: Vec<Value> = self.outcomes.iter().map(program).collect();
            let skipped = self.skipped.iter().map(|(bot, reason)| json!({ "name": bot.name, "reason": reason }));
            let report = json!({
                "tier": self.tier.name(),
                "control_groups": self.groups,
                "in_the_open": self.options.in_the_open,
                "held": broken == 0,
                "programs": programs,
                "not_run": skipped.collect::<Vec<_>>(),
            });
            writeln!(out, "{}", labelled("doctor hostile", report))?;
        } else {
            for (bot, reason) in &self.skipped {
                writeln!(out, "not run {:NAME_WIDTH$}  {reason}", bot.name)?;
            }
            writeln!(
                out,
                "\ntier {}{}: {} of {} hostile bots held, {} not run, {} played again; at most {:.1} ms after the deadline, \
                 {:.1} MB for the judge",
                self.tier,
                groups_in_words(self.groups.as_deref()),
                self.outcomes.len() - broken,
                self.outcomes.len(),
                self.skipped.len(),
                retried,
                max_delay.as_secs_f64() * 1000.0,
                max_judge_bytes as f64 / (1024.0 * 1024.0),
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

    /// How a match ends.
    #[derive(Clone, Copy, PartialEq)]
    enum End {
        Held,
        Late,
        Slow,
        Broken,
    }
    use End::{Broken, Held, Late, Slow};

    /// Checks that exactly these matches are played, one after another, and what the outcome is.
    #[track_caller]
    fn check(ends: &[End], is_held: bool) {
        let bots = suite::bots();
        let mut left = ends.iter();
        let outcome = retry_while_in_doubt(|| {
            let end = *left.next().expect("too many matches are played");
            Ok(Outcome {
                bot: &bots[0],
                verdict: Verdict::Ok,
                wrong: if end == Held { Vec::new() } else { vec!["something".to_owned()] },
                doubt: [(Late, Doubt::Late), (Slow, Doubt::Slow)].iter().find(|(of, _)| *of == end).map(|(_, doubt)| *doubt),
                retries: 0,
                wrong_before: Vec::new(),
                delay: if end == Late { Duration::from_millis(471) } else { Duration::ZERO },
                judge_bytes: 0,
            })
        });
        let outcome = outcome.unwrap();
        assert_eq!(left.len(), 0, "too few matches were played");
        assert_eq!(outcome.wrong.is_empty(), is_held);
        assert_eq!(outcome.retries as usize, ends.len() - 1);
        assert_eq!(outcome.wrong_before.len(), ends[..ends.len() - 1].iter().filter(|&&end| end != Held).count());
        assert_eq!(outcome.delay.as_millis(), if ends.contains(&Late) { 471 } else { 0 });
    }

    #[test]
    fn a_certain_result_is_not_retried() {
        check(&[Held], true);
        check(&[Broken], false);
    }

    #[test]
    fn after_a_late_turn_all_matches_must_be_in_time() {
        check(&[Late, Held, Held], true);
        check(&[Late, Late], false);
        check(&[Late, Held, Late], false);
        check(&[Late, Broken], false);
        check(&[Late, Slow], false);
    }

    #[test]
    fn a_slow_bot_must_be_fast_enough_once() {
        check(&[Slow, Held], true);
        check(&[Slow, Slow, Held], true);
        check(&[Slow, Slow, Slow], false);
        check(&[Slow, Broken], false);
        check(&[Slow, Late], false);
    }
}
