//! Finds faults of a bot and explains them.

mod attempt;
mod positions;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_botzone::{JsonText, action};
use pacman2_maps::{Map, MapSize};
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{BotProgram, Player, Request, Response};
use pacman2_match::referee::{self, MachineFault};
use pacman2_rules::{Ruleset, Seat};
use pacman2_runner::{Limits, Tier};
use serde_json::Value;

use crate::mounts::Hidden;
use crate::resolve::{Bot, PlayerConfig};
use crate::sandbox::SandboxPolicy;
use attempt::{Attempt, GAME, Mode};
use positions::Position;
pub use report::Report;

/// The number of turns of the game, and the seed of its map.
const GAME_TURNS: usize = 20;
const GAME_SEED: i32 = 21;
/// The turns after which a bot that keeps running is compared with one in a new process.
const COMPARED: [usize; 6] = [1, 2, 4, 7, 12, 19];
/// How many times its time a bot that computes too long gets for one more question.
const MORE_TIME: u32 = 5;
/// The number of time-outs after which the check ends.
const MAX_TIME_OUTS: usize = 2;

/// Asks a bot all questions of the check, unless `stop` is set.
pub fn examine(bot: &Bot, limits: Limits, policy: &SandboxPolicy, stop: &AtomicBool) -> anyhow::Result<Report> {
    let hidden = Hidden { bots: bot.files.clone(), folders: Vec::new() };
    let config = PlayerConfig { limits, as_process: true, ruleset: Ruleset::default(), hidden };
    let (program, tier) = bot.program(&config, policy, None)?;
    policy.warn([(bot.name.as_str(), Some(tier))]);
    let limits = program.limits;
    drop(program);
    let mut examiner = Examiner { bot, config: &config, policy, stop, attempts: Vec::new(), time_factor: 1, notes: Vec::new() };
    let keeps_running = examiner.examine()?;
    examiner.explain_missing_files(tier);
    let Examiner { attempts, notes, .. } = examiner;
    pacman2_runner::sweep();
    Ok(Report { bot: bot.name.clone(), limits, tier, keeps_running, attempts, notes })
}

/// Asks a bot all questions of the check.
struct Examiner<'a> {
    bot: &'a Bot,
    config: &'a PlayerConfig,
    policy: &'a SandboxPolicy,
    stop: &'a AtomicBool,
    attempts: Vec<Attempt>,
    /// How many times its time the bot gets.
    time_factor: u32,
    /// Observations that are no faults, but may be unintended.
    notes: Vec<String>,
}

impl Examiner<'_> {
    /// Returns whether the bot asks to keep running.
    fn examine(&mut self) -> anyhow::Result<bool> {
        let positions = positions::all();
        let mut keeps_running = false;
        let mut left_out = 0;
        let mut waited = 0;
        for position in &positions {
            // The data that the bot kept from the turn before does not exist in a game that other bots played.
            let needs_data = self.attempts.first().is_some_and(|first| !first.response.data.is_empty());
            if self.is_done() || needs_data && !position.turns.is_empty() {
                left_out += 1;
                continue;
            }
            let (response, player) = self.ask_afresh(position)?;
            keeps_running |= player.keeps_running();
            waited += usize::from(player.waited_for_end_of_input() && response.complaint.is_none());
            self.attempts.push(position.attempt(response));
        }
        // On a busy machine any bot may look idle now and then.
        if waited == self.attempts.len() && self.attempts.iter().all(|attempt| attempt.response.warning.is_none()) {
            self.notes.push(WAITED.to_owned());
        }
        if self.is_done() {
            self.notes.push(format!("It was too slow {MAX_TIME_OUTS} times; the remaining positions were skipped."));
            self.measure_slow_answer(&positions)?;
            return Ok(keeps_running);
        }
        if left_out > 0 {
            self.notes.push(format!(
                "It keeps data from turn to turn, which does not exist in games that other bots played: {left_out} positions were skipped."
            ));
        }
        let is_steady = self.answers_consistently(&positions)?;
        self.play(keeps_running, is_steady)?;
        Ok(keeps_running)
    }

    /// Adds a note if the bot crashed because a file was refused, and its sandbox hides files of its folder.
    fn explain_missing_files(&mut self, tier: Tier) {
        let responses = self.attempts.iter().map(|attempt| &attempt.response);
        if let Some(advice) = self.bot.advice_on_files(&self.config.hidden, responses).filter(|_| tier != Tier::C) {
            self.notes.push(format!("{advice}."));
        }
    }

    fn is_done(&self) -> bool {
        let too_slow = self.attempts.iter().filter(|attempt| attempt.response.verdict() == Verdict::Tle).count();
        self.stop.load(Ordering::Relaxed) || too_slow >= MAX_TIME_OUTS
    }

    fn start(&self) -> anyhow::Result<BotProgram> {
        let (mut program, _) = self.bot.program(self.config, self.policy, None)?;
        program.limits = program.limits.times(self.time_factor);
        Ok(BotProgram::new(program, JsonText::default()))
    }

    /// Starts a new process that remembers these turns, with its own responses in them. Returns it, and the match after them.
    fn start_after(&self, map: &Map, seat: Seat, history: &[(SessionTurn, JsonText)]) -> anyhow::Result<(BotProgram, Session)> {
        let (mut player, mut session) = (self.start()?, Session::new(map.clone()));
        let mut last = None;
        for (turn, past) in history {
            player.recall(&Request { session: &session, seat, last, stop: self.stop }, past);
            session.play(&turn.responses);
            last = Some(turn);
        }
        Ok((player, session))
    }

    /// Asks a new process. Returns its response and the process.
    fn ask_afresh(&self, position: &Position) -> anyhow::Result<(Response, BotProgram)> {
        let &Position { ref map, ref turns, seat, .. } = position;
        let responses = turns.iter().map(|turn| turn.responses[seat].as_ref().map_or(Value::Null, ParsedResponse::plain).into());
        let history: Vec<(SessionTurn, JsonText)> = turns.iter().cloned().zip(responses).collect();
        let (mut player, mut session) = self.start_after(map, seat, &history)?;
        let response = ask(&mut player, &Request { session: &session, seat, last: turns.last(), stop: self.stop })?;
        Ok((play_on(&mut session, seat, response).0, player))
    }

    /// Asks a question for which it computed too long once more, and adds a note on the time that it needs.
    fn measure_slow_answer(&mut self, positions: &[Position]) -> anyhow::Result<()> {
        let is_slow = |attempt: &&Attempt| attempt.response.complaint.as_ref().is_some_and(Complaint::is_of_slow_program);
        let slow = self.attempts.iter().find(is_slow).map(|attempt| attempt.place);
        let Some(position) = positions.iter().find(|position| Some(position.name) == slow) else { return Ok(()) };
        let patient = Examiner { time_factor: MORE_TIME, attempts: Vec::new(), notes: Vec::new(), ..*self };
        let (response, _) = patient.ask_afresh(position)?;
        self.notes.push(if response.parsed.number().is_some() {
            let time = response.usage.wall.max(response.usage.cpu.unwrap_or_default());
            format!("With more time, it answered after {} ms ({}).", time.as_millis(), position.name)
        } else {
            format!("{MORE_TIME} times its time was not enough, either ({}).", position.name)
        });
        Ok(())
    }

    /// Returns whether it gives the same answer to the same question. If not, adds a note.
    fn answers_consistently(&mut self, positions: &[Position]) -> anyhow::Result<bool> {
        let answered: Vec<&Position> =
            positions.iter().filter(|position| self.number_in(position.name).is_some()).step_by(4).collect();
        for position in answered {
            let (response, _) = self.ask_afresh(position)?;
            let number = response.parsed.number();
            if number.is_some() && number != self.number_in(position.name) {
                self.notes.push(format!(
                    "It is not deterministic: asked twice ({}), it answered differently. With a fixed seed, faults could be reproduced.",
                    position.name
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn number_in(&self, place: &str) -> Option<i32> {
        self.attempts.iter().find(|attempt| attempt.place == place).and_then(|attempt| attempt.response.parsed.number())
    }

    /// Plays some turns of a game, in the mode that the bot chooses.
    fn play(&mut self, keeps_running: bool, is_steady: bool) -> anyhow::Result<()> {
        let seat = Seat::ALL[1];
        let map = Map::generate(GAME_SEED, MapSize::default(), Ruleset::default())?;
        let mut session = Session::new(map);
        let mut player = self.start()?;
        let mut history: Vec<(SessionTurn, JsonText)> = Vec::new();
        while history.len() < GAME_TURNS && session.game().state().alive.contains(seat) && !session.game().is_over() {
            let mode = if player.keeps_running() { Mode::KeptRunning } else { Mode::Afresh };
            let before = session.clone();
            let last = history.last().map(|(turn, _)| turn);
            let response = ask(&mut player, &Request { session: &session, seat, last, stop: self.stop })?;
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let (response, turn) = play_on(&mut session, seat, response);
            if keeps_running && is_steady && response.data.is_empty() && COMPARED.contains(&history.len()) {
                self.compare(before.map(), seat, &history, &response)?;
            }
            let seen_later = response.response.clone().unwrap_or_else(|| Value::Null.into());
            let map = size(before.map());
            self.attempts.push(Attempt { place: GAME, map, mode, seat, turn: history.len() + 1, response });
            let Some(turn) = turn else { return Ok(()) };
            history.push((turn, seen_later));
        }
        Ok(())
    }

    /// Compares the answer of a bot that keeps running with that of a new process that gets the whole history.
    fn compare(&mut self, map: &Map, seat: Seat, history: &[(SessionTurn, JsonText)], response: &Response) -> anyhow::Result<()> {
        let (mut afresh, session) = self.start_after(map, seat, history)?;
        let last = history.last().map(|(turn, _)| turn);
        let other = ask(&mut afresh, &Request { session: &session, seat, last, stop: self.stop })?;
        let already = self.notes.iter().any(|note| note.starts_with(DIFFERS));
        if let (Some(running), Some(fresh)) = (response.parsed.number(), other.parsed.number())
            && running != fresh
            && !already
        {
            let turn = history.len() + 1;
            self.notes.push(format!(
                "{DIFFERS}: {} and {} in turn {turn} of the game. If that is unintended, its memory of the game may be wrong.",
                action::name(running),
                action::name(fresh)
            ));
        }
        Ok(())
    }
}

const WAITED: &str = "In each turn it waited until its input had ended, which costs a tenth of a second: it reads to the end of its input, or does not exit after its answer. Read one line.";
const DIFFERS: &str = "Kept running, it answers differently than a new process with the same history";

impl Position {
    fn attempt(&self, response: Response) -> Attempt {
        let Position { name, map, turns, seat } = self;
        Attempt { place: name, map: size(map), mode: Mode::Afresh, seat: *seat, turn: turns.len() + 1, response }
    }
}

fn size(map: &Map) -> String {
    format!("{}x{}", map.maze.width(), map.maze.height())
}

fn ask(player: &mut BotProgram, request: &Request<'_>) -> anyhow::Result<Response> {
    let response = player.ask(request);
    MachineFault::from_response(request.seat, &response).map_or(Ok(response), |fault| Err(fault.into()))
}

/// Plays a turn with this answer of the bot, and with built-in bots on the other seats. The returned answer has a complaint if
/// its action was illegal.
fn play_on(session: &mut Session, seat: Seat, mut response: Response) -> (Response, Option<SessionTurn>) {
    let mut parsed = positions::answers(session);
    parsed[seat] = Some(response.parsed.clone());
    let turn = session.play(&parsed);
    if let Some(turn) = &turn {
        referee::explain(&mut response, seat, session.map(), turn);
    }
    (response, turn)
}
