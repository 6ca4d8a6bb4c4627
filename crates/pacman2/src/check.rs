//! `pacman2 check`: what is wrong with a bot, in plain words.

mod diagnosis;
mod positions;
mod report;

use std::process::ExitCode;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{Map, MapSize};
use pacman2_match::player::{BotProgram, Player, Request, Response};
use pacman2_match::referee;
use pacman2_rules::{BySeat, Ruleset, Seat};
use pacman2_runner::{Limits, Tier};
use serde_json::Value;

use crate::args::CheckArgs;
use crate::play::{INTERRUPTED, stop_on_interrupt};
use crate::sandbox::{Guard, warn_of};
use crate::seats::{Bot, Manner};
use positions::Position;
use report::Report;

/// How many turns of a game are played, and on which map.
const GAME_TURNS: usize = 20;
const GAME_SEED: i32 = 21;
/// After which of them a bot that keeps running is compared with one that is started afresh.
const COMPARED: [usize; 6] = [1, 2, 4, 7, 12, 19];
/// Who was too slow so often is not waited for any more.
const TIME_OUTS: usize = 2;

/// How a bot was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Started for this turn.
    Afresh,
    /// It kept running since an earlier turn.
    KeptRunning,
}

/// One question and what came of it.
pub(crate) struct Tried {
    /// Where: the name of a position, or the game.
    pub(crate) place: &'static str,
    pub(crate) map: String,
    pub(crate) mode: Mode,
    pub(crate) seat: Seat,
    /// The turn in which it was asked, from 1.
    pub(crate) turn: usize,
    pub(crate) said: Response,
}

/// The place of turns of the game.
pub(crate) const GAME: &str = "a game";

/// Notes on what is no fault, but may be meant otherwise.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Vec<String>);

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    #[cfg(target_os = "linux")]
    if let Some(code) = crate::guardian::stand_guard()? {
        return Ok(code);
    }
    let guard = Guard::new(&args.sandbox);
    guard.check_names(slice::from_ref(&args.bot))?;
    let bot = Bot::find(&args.bot, &guard)?;
    let time = Some(Duration::from_millis(args.time_limit));
    let limits = Limits { wall: time, cpu: time, memory_bytes: Some(args.memory_limit * 1024 * 1024), ..Limits::default() };
    let manner = Manner { limits, as_process: true, ruleset: Ruleset::default(), files: bot.files.clone() };
    let (program, tier) = bot.program(&manner, &guard)?;
    warn_of(Some(args.bot.as_str()).filter(|_| tier == Tier::C).into_iter());
    let limits = program.limits;
    drop(program);
    let stop = stop_on_interrupt()?;
    let mut examiner =
        Examiner { bot: &bot, manner: &manner, guard: &guard, stop: &stop, tried: Vec::new(), notes: Notes::default() };
    let keeps_running = examiner.examine()?;
    let Examiner { tried, notes: Notes(notes), .. } = examiner;
    pacman2_runner::sweep();
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    let report = Report { bot: &args.bot, limits, tier, keeps_running, tried, notes };
    report.print(args.json)?;
    Ok(if report.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks a bot all that there is to ask.
struct Examiner<'a> {
    bot: &'a Bot,
    manner: &'a Manner,
    guard: &'a Guard,
    stop: &'a AtomicBool,
    tried: Vec<Tried>,
    notes: Notes,
}

impl Examiner<'_> {
    /// Returns whether the bot asks to keep running.
    fn examine(&mut self) -> anyhow::Result<bool> {
        let positions = positions::all();
        let mut keeps_running = false;
        let mut left_out = 0;
        let mut waited = 0;
        for position in &positions {
            // Its data of the turn before is not there in a game that others have played.
            let needs_data = self.tried.first().is_some_and(|first| !first.said.data.is_empty());
            if self.is_done() || needs_data && !position.turns.is_empty() {
                left_out += 1;
                continue;
            }
            let (said, player) = self.ask_afresh(position)?;
            keeps_running |= player.keeps_running();
            waited += usize::from(player.waited_for_end_of_input() && said.complaint.is_none());
            self.tried.push(position.tried(said));
        }
        // On a busy machine any bot may happen to look idle.
        if waited == self.tried.len() {
            self.notes.add(if self.tried.iter().all(asked_too_late) { TOO_LATE } else { WAITED }.to_owned());
        }
        if self.is_done() {
            self.notes.add(format!("It was too slow {TIME_OUTS} times; the rest was not tried."));
            return Ok(keeps_running);
        }
        if left_out > 0 {
            self.notes.add(format!(
                "It keeps data from turn to turn, which games that others have played do not have: {left_out} positions were left out."
            ));
        }
        let is_steady = self.answers_twice_alike(&positions)?;
        self.play(keeps_running, is_steady)?;
        Ok(keeps_running)
    }

    fn is_done(&self) -> bool {
        let too_slow = self.tried.iter().filter(|tried| tried.said.verdict == Verdict::Tle).count();
        self.stop.load(Ordering::Relaxed) || too_slow >= TIME_OUTS
    }

    fn sit(&self) -> anyhow::Result<BotProgram> {
        Ok(BotProgram::new(self.bot.program(self.manner, self.guard)?.0, String::new()))
    }

    /// Asks a process that is started for it; with what it said, who it was.
    fn ask_afresh(&self, position: &Position) -> anyhow::Result<(Response, BotProgram)> {
        let Position { map, turns, seat, .. } = position;
        let mut player = self.sit()?;
        let mut table = Session::new(map.clone());
        let mut last: Option<&SessionTurn> = None;
        for turn in turns {
            player.recall(&asked(&table, *seat, last, self.stop), &response(turn, *seat));
            table.play(&turn.heard);
            last = Some(turn);
        }
        let said = player.ask(&asked(&table, *seat, last, self.stop));
        Ok((play_on(&mut table, *seat, said).0, player))
    }

    /// Whether it gives the same answer to the same question; notes it if not.
    fn answers_twice_alike(&mut self, positions: &[Position]) -> anyhow::Result<bool> {
        let answered: Vec<&Position> =
            positions.iter().filter(|position| self.number_in(position.name).is_some()).step_by(4).collect();
        for position in answered {
            let (said, _) = self.ask_afresh(position)?;
            if number(&said).is_some() && number(&said) != self.number_in(position.name) {
                self.notes.add(format!(
                    "It does not always answer alike: asked twice ({}), it chose otherwise. With a fixed seed, faults would come again.",
                    position.name
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn number_in(&self, place: &str) -> Option<i32> {
        self.tried.iter().find(|tried| tried.place == place).and_then(|tried| number(&tried.said))
    }

    /// Some turns of a game, in the manner that the bot chooses.
    fn play(&mut self, keeps_running: bool, is_steady: bool) -> anyhow::Result<()> {
        let seat = Seat::ALL[1];
        let map = Map::generate(GAME_SEED, MapSize::default(), Ruleset::default())?;
        let mut table = Session::new(map);
        let mut player = self.sit()?;
        let mut history: Vec<(SessionTurn, Value)> = Vec::new();
        while history.len() < GAME_TURNS && table.game().state().alive.contains(seat) && !table.game().is_over() {
            let mode = if player.keeps_running() { Mode::KeptRunning } else { Mode::Afresh };
            let before = table.clone();
            let said = player.ask(&asked(&table, seat, history.last().map(|(turn, _)| turn), self.stop));
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let (said, turn) = play_on(&mut table, seat, said);
            if keeps_running && is_steady && said.data.is_empty() && COMPARED.contains(&history.len()) {
                self.compare(&before, seat, &history, &said)?;
            }
            let response = said.response.clone().unwrap_or_default();
            let map = size(before.map());
            self.tried.push(Tried { place: GAME, map, mode, seat, turn: history.len() + 1, said });
            let Some(turn) = turn else { return Ok(()) };
            history.push((turn, response));
        }
        Ok(())
    }

    /// Holds an answer of a bot that keeps running against that of one that is told the whole history.
    fn compare(&mut self, table: &Session, seat: Seat, history: &[(SessionTurn, Value)], said: &Response) -> anyhow::Result<()> {
        let mut afresh = self.sit()?;
        let mut replayed = Session::new(table.map().clone());
        let mut last = None;
        for (turn, response) in history {
            afresh.recall(&asked(&replayed, seat, last, self.stop), response);
            replayed.play(&turn.heard);
            last = Some(turn);
        }
        let other = afresh.ask(&asked(table, seat, last, self.stop));
        let already = self.notes.0.iter().any(|note| note.starts_with(OTHERWISE));
        if let (Some(running), Some(fresh)) = (number(said), number(&other))
            && running != fresh
            && !already
        {
            let turn = history.len() + 1;
            self.notes.add(format!(
                "{OTHERWISE}: {} and {} in turn {turn} of the game. If it is not meant to, what it remembers may be wrong.",
                report::action(running),
                report::action(fresh)
            ));
        }
        Ok(())
    }
}

const TOO_LATE: &str = "It asks to keep running, but nobody hears that before its input has ended, so it is started afresh for every turn: flush the output after each answer, and read line by line.";
const WAITED: &str = "In each turn it did nothing until its input had ended, which costs it a tenth of a second: it reads to the end of its input, or does not exit after its answer. Read one line.";
const OTHERWISE: &str = "Kept running, it answers otherwise than started afresh with the same history";

impl Notes {
    fn add(&mut self, note: String) {
        self.0.push(note);
    }
}

impl Position {
    fn tried(&self, said: Response) -> Tried {
        let Position { name, map, turns, seat } = self;
        Tried { place: name, map: size(map), mode: Mode::Afresh, seat: *seat, turn: turns.len() + 1, said }
    }
}

fn size(map: &Map) -> String {
    format!("{}x{}", map.maze.width(), map.maze.height())
}

fn asked<'a>(table: &'a Session, seat: Seat, last: Option<&'a SessionTurn>, stop: &'a AtomicBool) -> Request<'a> {
    Request { map: table.map(), game: table.game(), seat, last, stop }
}

/// What a player was heard to answer, as the bot is told in its place.
fn response(turn: &SessionTurn, seat: Seat) -> Value {
    turn.heard[seat].as_ref().map_or(Value::Null, pacman2_replay::plain_response)
}

/// Whether it wrote more than its answer where its input had ended: that can only be that it asks to keep running.
fn asked_too_late(tried: &Tried) -> bool {
    let asking = pacman2_botzone::KEEP_RUNNING.len();
    tried.said.cost.output_bytes as usize >= tried.said.output.len() + asking
}

fn number(said: &Response) -> Option<i32> {
    match said.heard {
        ParsedResponse::Action { number, .. } => Some(number),
        ParsedResponse::Nothing(_) => None,
    }
}

/// Plays the turn in which the bot said this and the others what built-in bots say; what was said then tells too what was
/// illegal about it.
fn play_on(table: &mut Session, seat: Seat, said: Response) -> (Response, Option<SessionTurn>) {
    let mut heard = positions::everybody(table);
    heard[seat] = Some(said.heard.clone());
    let before = table.clone();
    let Some(turn) = table.play(&heard) else { return (said, None) };
    let mut all = BySeat::from_fn(|_| None);
    all[seat] = Some(said.clone());
    let explained = referee::explain(all, &before, &turn);
    (explained.0.into_iter().flatten().next().unwrap_or(said), Some(turn))
}
