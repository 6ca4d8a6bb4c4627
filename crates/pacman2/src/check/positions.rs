//! `pacman2 check --positions`: positions of matches in which a bot must do something, or must not.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_bot_source::resolve::Bot;
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_botzone::action;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::interrupt::INTERRUPTED;
use pacman2_console::json_output::labelled;
use pacman2_console::text::{counted, first_lines, fit_column, sanitize};
use pacman2_match::rerun::{RerunError, RerunTurn, ask_at};
use pacman2_replay::Replay;
use pacman2_replay::games::GameForm;
use pacman2_rules::{Action, Seat};
use pacman2_runner::Limits;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::games;

/// What a line has to be.
const EXPECTED: &str =
    "expected a line such as {\"replay\": \"match.json\", \"turn\": 34, \"seat\": 0, \"not\": [\"left\"]}, or with \"only\"";

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: Option<String>,
    replay: PathBuf,
    turn: usize,
    seat: Option<u8>,
    not: Option<Vec<String>>,
    only: Option<Vec<String>>,
}

/// A position in which a bot is asked.
struct Position {
    name: String,
    replay: Replay,
    turn: usize,
    seat: Seat,
    rule: Rule,
}

/// Which actions are right.
enum Rule {
    Not(Vec<Action>),
    Only(Vec<Action>),
}

impl Rule {
    fn allows(&self, action: Action) -> bool {
        match self {
            Rule::Not(actions) => !actions.contains(&action),
            Rule::Only(actions) => actions.contains(&action),
        }
    }

    fn words(&self) -> String {
        let (word, actions) = match self {
            Rule::Not(actions) => ("not ", actions),
            Rule::Only(actions) => ("only ", actions),
        };
        word.to_owned() + &actions.iter().map(Action::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// What a bot answered in a position.
struct Answered<'a> {
    position: &'a Position,
    answer: RerunTurn,
}

impl Answered<'_> {
    fn is_right(&self) -> bool {
        !self.answer.verdict.is_fault() && self.position.rule.allows(action::from_number(self.answer.action()))
    }
}

/// Asks a bot in all positions of a file, each time in a new process.
pub(super) fn run(
    file: &Path,
    bot: &Bot,
    limits: Limits,
    policy: &SandboxPolicy,
    json: bool,
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let positions = read(file)?;
    let mut answered = Vec::new();
    for position in &positions {
        let answer = ask(position, bot, limits, policy, stop);
        pacman2_runner::sweep();
        let answer = answer?;
        if stop.load(Ordering::Relaxed) {
            return Ok(INTERRUPTED.into());
        }
        answered.push(Answered { position, answer });
    }
    let text = if json {
        format!("{}\n", labelled("check positions", for_machines(bot, &answered)))
    } else {
        for_people(bot, &answered)
    };
    stdout().write_all(text.as_bytes())?;
    Ok(if answered.iter().all(Answered::is_right) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(file: &Path) -> anyhow::Result<Vec<Position>> {
    let text = files::read(file)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let positions = lines.map(|(number, line)| {
        read_line(line, files::folder_of(file))
            .map_err(|error| bad_input(format!("{}, line {number}: {error:#}", file.display())))
    });
    let positions = positions.collect::<anyhow::Result<Vec<_>>>()?;
    if positions.is_empty() {
        return Err(bad_input(format!("{}: no positions; {EXPECTED}", file.display())));
    }
    Ok(positions)
}

/// Reads a position. Its replay is found from the folder of the file.
fn read_line(line: &str, folder: &Path) -> anyhow::Result<Position> {
    let line: Line = serde_json::from_str(line).map_err(|error| bad_input(format!("{EXPECTED}: {error}")))?;
    let actions = |names: Vec<String>| names.iter().map(|name| read_action(name)).collect::<anyhow::Result<Vec<_>>>();
    let rule = match (line.not, line.only) {
        (Some(not), None) => Rule::Not(actions(not)?),
        (None, Some(only)) => Rule::Only(actions(only)?),
        _ => return Err(bad_input("expected either \"not\" or \"only\", a list of actions")),
    };
    let (found, name) = games::read(&folder.join(&line.replay), None)?;
    let seat = match (line.seat, found.form) {
        (Some(seat), _) => Seat::new(seat.into()),
        (None, GameForm::SavedInput(seat)) => Some(seat),
        (None, _) => None,
    };
    let seat = seat.ok_or_else(|| bad_input("\"seat\": expected the seat of the bot, 0 to 3"))?;
    let playback = found.replay.play_back();
    if let Some(difference) = playback.difference {
        return Err(bad_input(format!("{name}: {difference}")));
    }
    let game = playback.session.game();
    let last = game.last_turn();
    if !(1..=last).contains(&line.turn) {
        return Err(bad_input(format!("\"turn\": expected a turn of {name}, 1 to {last}, got {}", line.turn)));
    }
    if !game.before(line.turn).state().alive.contains(seat) {
        return Err(bad_input(format!("seat {seat} of {name} is dead before turn {}", line.turn)));
    }
    let name = line.name.unwrap_or_else(|| format!("{}, turn {}", line.replay.display(), line.turn));
    Ok(Position { name, replay: found.replay, turn: line.turn, seat, rule })
}

fn read_action(name: &str) -> anyhow::Result<Action> {
    let all = || Action::ALL.map(|action| action.to_string()).join(", ");
    name.parse().map_err(|_| bad_input(format!("unknown action \"{}\"; expected one of {}", sanitize(name), all())))
}

fn ask(position: &Position, bot: &Bot, limits: Limits, policy: &SandboxPolicy, stop: &AtomicBool) -> anyhow::Result<RerunTurn> {
    let mut started = bot.start_alone(limits, false, *position.replay.public.map.maze.ruleset(), policy)?;
    ask_at(&position.replay, position.seat, position.turn, &mut *started.player, stop).map_err(|error| match error {
        RerunError::Replay(difference) => bad_input(difference),
        RerunError::Machine(fault) => fault.into(),
    })
}

fn for_people(bot: &Bot, answered: &[Answered<'_>]) -> String {
    let mut text = format!("{:<36}  {:>4}  {:>4}  {:<16}  expected\n", "position", "turn", "seat", "answer");
    for case in answered {
        let Answered { position: Position { name, turn, seat, rule, .. }, answer } = case;
        let said = match answer.response.parsed.number() {
            Some(number) => action::name(number),
            None => answer.response.verdict().name().to_owned(),
        };
        let mark = if case.is_right() { "" } else { ": WRONG" };
        text += &format!(
            "{}  {turn:>4}  {seat:>4}  {}  {}{mark}\n",
            fit_column(&sanitize(name), 36),
            fit_column(&said, 16),
            rule.words()
        );
        if let Some(complaint) = &answer.response.complaint {
            text += &format!("  {}\n", sanitize(&complaint.to_string()));
        }
        text.extend(first_lines(&answer.response.stderr).map(|line| format!("  stderr: {line}\n")));
    }
    let right = answered.iter().filter(|case| case.is_right()).count();
    text + &format!("{}: right in {right} of {}\n", sanitize(&bot.name), counted(answered.len(), "position"))
}

fn for_machines(bot: &Bot, answered: &[Answered<'_>]) -> Value {
    let case = |case: &Answered<'_>| {
        let Answered { position: Position { name, turn, seat, rule, .. }, answer } = case;
        json!({
            "name": name,
            "turn": turn,
            "seat": seat.index(),
            "action": answer.response.parsed.number(),
            "verdict": answer.verdict.name(),
            "complaint": answer.response.complaint.as_ref().map(ToString::to_string),
            "expected": rule.words(),
            "right": case.is_right(),
        })
    };
    let fine = answered.iter().all(Answered::is_right);
    json!({ "bot": bot.name, "fine": fine, "positions": answered.iter().map(case).collect::<Vec<_>>() })
}
