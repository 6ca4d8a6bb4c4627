//! `pacman2 match`: a match between four bots.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::session::SessionTurn;
use pacman2_maps::Map;
use pacman2_match::player::Response;
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, MatchTurn, Players};
use pacman2_replay::{Replay, SeatInfo};
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::{Limits, Tier};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::args::MatchArgs;
use crate::board::{Board, fit_exactly, harmless};
use crate::failure::bad_input;
use crate::map::Seed;
use crate::sandbox::Guard;
use crate::seats::{Bot, Manner};
use crate::{built_in, files, judge_turn, many, map, sandbox, seats, view, viewer};

/// The exit code after Ctrl-C, as shells give it.
pub(crate) const INTERRUPTED: u8 = 130;

pub(crate) fn run(args: MatchArgs) -> anyhow::Result<ExitCode> {
    if let Some(games) = args.games {
        return many::run(&args, games);
    }
    let has_programs = args.as_process || args.bots.iter().any(|bot| !built_in::is_meant(bot));
    #[cfg(target_os = "linux")]
    if has_programs && let Some(code) = crate::guardian::stand_guard()? {
        return Ok(code);
    }
    let guard = if has_programs { Guard::new(&args.sandbox) } else { Guard::idle() };
    guard.check_names(&args.bots)?;
    let bots = args.bots.iter().map(|bot| Bot::find(bot, &guard)).collect::<anyhow::Result<Vec<_>>>()?;
    let map = choose_map(&args)?;
    let manner = Manner {
        limits: limits(&args),
        as_process: args.as_process,
        ruleset: args.ruling.ruleset(),
        files: bots.iter().flat_map(|bot| bot.files.clone()).collect(),
    };
    let replay_path = replay_path(&args)?;
    let page_path = page_path(&args)?;
    let memory = args.globaldata.as_deref().map(Memory::open).transpose()?;
    let mut players = Vec::new();
    let mut tiers = BySeat::from_fn(|_| None);
    for (seat, bot) in Seat::ALL.into_iter().zip(&bots) {
        let globaldata = memory.as_ref().map_or(Ok(String::new()), |memory| memory.recall(&bot.name))?;
        let seated = bot.sit(&manner, &guard, globaldata)?;
        players.push(seated.player);
        tiers[seat] = seated.tier;
    }
    sandbox::warn_of(
        Seat::ALL.into_iter().filter(|&seat| tiers[seat] == Some(Tier::C)).map(|seat| bots[seat.index()].name.as_str()),
    );
    let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("four bots are wanted"))?);
    let stop = stop_on_interrupt()?;

    let names: [String; 4] = Seat::ALL.map(|seat| harmless(&bots[seat.index()].name));
    let mut board = Board::new(&names, Duration::from_millis(args.pace), args.json);
    let thinking = if args.one_by_one { AskMode::OneByOne } else { AskMode::AtOnce };
    let turns = referee::play(map.clone(), &mut players, thinking, &stop, |table, played| board.show(table, played));

    let globaldata = players.0.map(|player| player.globaldata().to_owned());
    pacman2_runner::sweep();

    let infos = BySeat::from_fn(|seat| bots[seat.index()].info(args.as_process));
    let replay = record(&map, infos, limits_info(manner.limits), tiers, &turns);
    // What cannot be written does not hide how the match ended.
    let written = replay_path.as_deref().map_or(Ok(()), |path| write_replay(&args, path, &replay));
    let page_written = page_path.as_deref().map_or(Ok(()), |path| files::write(path, &viewer::page(&replay.write())));
    let left = Left {
        replay: replay_path.as_deref().filter(|_| written.is_ok()),
        page: page_path.as_deref().filter(|_| page_written.is_ok()),
    };
    if args.json {
        print_json(&map, &replay, &turns, &left)?;
    } else {
        print_table(&names, &map, &turns, &left)?;
        explain_missing_files(&bots, &manner, &tiers, &turns);
    }
    written?;
    page_written?;
    if let Some(memory) = &memory {
        for (bot, globaldata) in bots.iter().zip(&globaldata) {
            memory.keep(&bot.name, globaldata)?;
        }
    }
    if let Some(path) = page_path.filter(|_| args.open) {
        viewer::open(&path, path.display());
    }
    Ok(if stop.load(Ordering::Relaxed) { INTERRUPTED.into() } else { ExitCode::SUCCESS })
}

/// A bot of several files that crashed may have missed the others.
fn explain_missing_files(bots: &[Bot], manner: &Manner, tiers: &BySeat<Option<Tier>>, turns: &[MatchTurn]) {
    for seat in Seat::ALL {
        let crashed = turns.iter().any(|played| played.said[seat].as_ref().is_some_and(|said| said.verdict == Verdict::Re));
        let bot = &bots[seat.index()];
        let is_shut_in = tiers[seat].is_some_and(|tier| tier != Tier::C);
        if crashed && is_shut_in && !bot.files.is_empty() && view::sees_only_files(&bot.files, &manner.files) {
            let name = harmless(&bot.name);
            eprintln!(
                "pacman2: {name} saw nothing of its folder but its own file; if it needs more, give it a folder of its own"
            );
        }
    }
}

fn choose_map(args: &MatchArgs) -> anyhow::Result<Map> {
    let drawn = judge_turn::seed_of_the_clock();
    let mut map = match &args.map {
        Some(file) => map::read(file, Seed { given: args.seed, otherwise: drawn }, args.ruling.ruleset())?,
        None => map::generate(args.seed.unwrap_or(drawn), args.size.unwrap_or_default(), args.ruling.ruleset())?,
    };
    map.maze = map::with_turns(map.maze, args.turns)?;
    Ok(map)
}

fn limits(args: &MatchArgs) -> Limits {
    if args.no_limits {
        // A fork bomb is no use under a debugger either.
        return Limits { tasks: Limits::default().tasks, ..Limits::NONE };
    }
    let time = Some(Duration::from_millis(args.time_limit));
    let memory_bytes = Some(args.memory_limit * 1024 * 1024);
    Limits { wall: time, cpu: time, memory_bytes, output_bytes: Some(args.output_limit), ..Limits::default() }
}

/// Ctrl-C and requests to end set the flag; whoever plays looks at it.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be listened to")?;
    Ok(stop)
}

/// What a match left behind.
struct Left<'a> {
    replay: Option<&'a Path>,
    page: Option<&'a Path>,
}

/// Where replays go that have no other place.
pub(crate) const REPLAYS: &str = "replays";
/// Among them, a copy of the last one.
const LAST: &str = "last.json";
/// The page with the last one, if there was to be one.
const LAST_PAGE: &str = "last.html";

/// Where the replay goes: found before the match, so that none is played in vain.
fn replay_path(args: &MatchArgs) -> anyhow::Result<Option<PathBuf>> {
    if args.no_replay {
        return Ok(None);
    }
    if let Some(path) = &args.replay {
        files::check_writable(path)?;
        return Ok(Some(path.clone()));
    }
    let folder = Path::new(REPLAYS);
    fs::create_dir_all(folder).with_context(|| format!("the folder {REPLAYS} cannot be made for the replay"))?;
    Ok(Some(new_name(folder)))
}

/// The name of a replay that is not in the folder yet.
fn new_name(folder: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut names = (0..).map(|number: u64| folder.join(format!("{}-{number}.json", now.as_millis())));
    names.find(|path| !path.exists()).unwrap_or_default()
}

/// Writes the replay, and where it was given no place, again as the last one.
fn write_replay(args: &MatchArgs, path: &Path, replay: &Replay) -> anyhow::Result<()> {
    let text = replay.write();
    files::write(path, &text)?;
    if args.replay.is_none() {
        files::write(&Path::new(REPLAYS).join(LAST), &text)?;
    }
    Ok(())
}

/// Writes a replay to a folder, under a new name and as the last one, and returns the new name.
pub(crate) fn leave_replay(folder: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let path = new_name(folder);
    files::write(&path, text)?;
    files::write(&folder.join(LAST), text)?;
    Ok(path)
}

/// Where the page with the match goes.
fn page_path(args: &MatchArgs) -> anyhow::Result<Option<PathBuf>> {
    Ok(match &args.html {
        Some(path) => {
            files::check_writable(path)?;
            Some(path.clone())
        }
        None if !args.open => None,
        // A browser shut off from the folder of temporary files can read it here.
        None if !args.no_replay && args.replay.is_none() => Some(Path::new(REPLAYS).join(LAST_PAGE)),
        None => Some(viewer::place_for_page()?),
    })
}

/// The folder in which bots' globaldata outlives a match.
struct Memory<'a> {
    folder: &'a Path,
}

impl Memory<'_> {
    fn open(folder: &Path) -> anyhow::Result<Memory<'_>> {
        fs::create_dir_all(folder).map_err(|error| bad_input(format!("--globaldata {}: {error}", folder.display())))?;
        Ok(Memory { folder })
    }

    /// Named after the bot, as far as file names can be; its hash tells it from others that would have the same name.
    fn file(&self, name: &str) -> PathBuf {
        const MOST_CHARS: usize = 40;
        let skipped = name.chars().count().saturating_sub(MOST_CHARS);
        let safe = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
        let short: String = name.chars().skip(skipped).map(safe).collect();
        if short == name {
            return self.folder.join(format!("{short}.txt"));
        }
        let hash = seats::hexadecimal(&Sha256::digest(name)[..8]);
        self.folder.join(format!("{short}-{hash}.txt"))
    }

    fn recall(&self, name: &str) -> anyhow::Result<String> {
        let file = self.file(name);
        if file.exists() { files::read(&file) } else { Ok(String::new()) }
    }

    fn keep(&self, name: &str, globaldata: &str) -> anyhow::Result<()> {
        files::write(&self.file(name), globaldata)
    }
}

fn print_table(names: &[String; 4], map: &Map, turns: &[MatchTurn], left: &Left<'_>) -> anyhow::Result<()> {
    let mut out = io::stdout();
    match turns.last().map(|played| &played.turn) {
        Some(SessionTurn { scores: Some(scores), state, .. }) => {
            writeln!(out, "\nseat  bot                        score  place  strength  answers")?;
            for (seat, score) in scores.iter() {
                let name = fit_exactly(&names[seat.index()], 24);
                let strength = state.strength[seat];
                let place = 1 + state.strength.0.iter().filter(|&&other| other > strength).count();
                writeln!(out, "{seat:>4}  {name} {score:>7} {place:>6} {strength:>9}  {}", verdicts(turns, seat))?;
            }
        }
        _ => writeln!(out, "\nThe match was abandoned after {} turns.", turns.len())?,
    }
    print_faults(names, turns, &mut out)?;
    let replay = left.replay.map_or("no replay".to_owned(), |path| format!("replay {}", path.display()));
    let page = left.page.map_or_else(String::new, |path| format!(", page {}", path.display()));
    writeln!(out, "seed {}, {} turns, {replay}{page}", map.seed, turns.len())?;
    Ok(())
}

/// What was wrong with each player that forfeited, and what it wrote, as far as that helps its author.
fn print_faults(names: &[String; 4], turns: &[MatchTurn], out: &mut impl Write) -> io::Result<()> {
    const MOST_LINES: usize = 10;
    for seat in Seat::ALL {
        let faulty = (1..).zip(turns).find_map(|(number, played)| {
            let said = played.said[seat].as_ref()?;
            Some((number, said, said.complaint.as_ref()?))
        });
        let Some((turn, said, complaint)) = faulty else { continue };
        writeln!(out, "\n{seat} ({}), turn {turn}, {}: {}", names[seat.index()], verdict(said), harmless(complaint))?;
        for (what, text) in [("output", &said.output), ("stderr", &said.stderr)] {
            for line in text.lines().take(MOST_LINES) {
                writeln!(out, "  {what}: {}", harmless(&line.chars().take(200).collect::<String>()))?;
            }
            if text.lines().nth(MOST_LINES).is_some() {
                writeln!(out, "  {what}: … the rest is in the replay")?;
            }
        }
    }
    Ok(())
}

/// A verdict for people: Botzone calls an illegal action OK.
fn verdict(said: &Response) -> &'static str {
    match said.verdict {
        Verdict::Ok if said.complaint.is_some() => "illegal action",
        verdict => verdict.name(),
    }
}

/// How often each verdict was given to a seat.
fn verdicts(turns: &[MatchTurn], seat: Seat) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for verdict in turns.iter().filter_map(|played| played.said[seat].as_ref().map(verdict)) {
        match counts.iter_mut().find(|(name, _)| *name == verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

fn print_json(map: &Map, replay: &Replay, turns: &[MatchTurn], left: &Left<'_>) -> anyhow::Result<()> {
    let scores = turns.last().and_then(|played| played.turn.scores);
    let seat = |seat: Seat| {
        let SeatInfo { name, program, .. } = &replay.public.seats[seat.index()];
        let said = turns.iter().filter_map(|played| played.said[seat].as_ref());
        let slowest = said.clone().map(|said| said.cost.wall).max().unwrap_or_default();
        let fault = said.clone().find_map(|said| said.complaint.clone());
        let verdict = replay.public.turns.iter().rev().find_map(|turn| turn.verdicts[seat.index()].clone());
        json!({
            "name": name,
            "program": program,
            "sandbox": replay.private.sandbox[seat.index()],
            "score": scores.map(|scores| pacman2_botzone::session::points(scores[seat])),
            "rank": scores.map(|scores| scores[seat].rank),
            "last_verdict": verdict,
            "fault": fault,
            "slowest_answer_ms": slowest.as_millis() as u64,
        })
    };
    let mut summary = json!({
        "seed": map.seed,
        "turns": turns.len(),
        "finished": scores.is_some(),
        "seats": Seat::ALL.map(seat),
        "replay": left.replay,
    });
    if let Some(page) = left.page {
        summary["page"] = page.to_string_lossy().into();
    }
    writeln!(io::stdout(), "{summary}")?;
    Ok(())
}
