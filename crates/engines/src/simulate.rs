//! `pacman2 simulate`: games turn by turn, with JSON lines as input and output.

mod against;

use std::io::{self, Write};
use std::process::ExitCode;

use pacman2_botzone::{ChangeFlags, Json, action, init_data};
use pacman2_console::files;
use pacman2_maps::{MapError, content_bits};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Game, Maze, Report, Ruleset, Score, Seat, State, scores};
use serde_json::{Value, json};

/// What to do with games.
pub struct SimulateOptions {
    /// Whether light hits a player that forfeits this turn.
    pub ruling: ForfeitRuling,
    /// A command that runs another engine, to compare it with the rules; `None` to play the games of standard input.
    pub against: Option<String>,
    /// How many games are compared.
    pub games: u32,
    /// The seed of the first of them.
    pub seed: i32,
}

/// Answers the lines of standard input, or compares another engine. Fails as an exit code if that plays otherwise.
///
/// # Errors
///
/// If reading or writing fails, or the other engine does not play.
pub fn run(options: &SimulateOptions) -> anyhow::Result<ExitCode> {
    if let Some(command) = &options.against {
        return against::run(options, command);
    }
    let mut out = io::stdout().lock();
    let mut simulation =
        Simulation { base: Ruleset::default().with_forfeit_ruling(options.ruling), game: None, answers: Vec::new() };
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while files::read_line(&mut input, &mut line)? {
        let text = String::from_utf8_lossy(&line);
        let text = files::without_byte_order_mark(&text);
        if !text.trim().is_empty() {
            let answer = simulation.answer(text);
            let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
        line.clear();
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of input that is rejected.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "expected init data with \"seed\", or with \"static\" and \"content\", or {{\"actions\": [a, a, a, a]}} or {{\"undo\": n}}"
    )]
    Unknown,
    #[error("{0}")]
    InitData(#[from] MapError),
    #[error("no game has started; start one with a line of init data")]
    NoGame,
    #[error("\"actions\": expected a list of four, one for each seat, null for dead players")]
    Actions,
    #[error("the game is over; use undo or new init data")]
    GameOver,
    #[error("\"undo\": expected a number of turns from 0 to {0}")]
    Undo(usize),
}

struct Simulation {
    /// The rules that init data does not set.
    base: Ruleset,
    game: Option<Game>,
    /// The answer for each position since the start, so that `undo` gives the same one again.
    answers: Vec<String>,
}

impl Simulation {
    fn answer(&mut self, line: &str) -> Result<String, LineError> {
        let json = Json::parse(line)?;
        match json.get_all(["actions", "undo"]) {
            [Some(actions), _] => self.play(actions),
            [None, Some(turns)] => self.undo(turns),
            [None, None] => self.start(json),
        }
    }

    fn start(&mut self, json: Json<'_>) -> Result<String, LineError> {
        if json.get_all(["seed", "static", "content"]) == [None; 3] {
            return Err(LineError::Unknown);
        }
        let (map, _) = init_data::read_json(json, 0, self.base)?;
        let game = Game::new(map.maze, map.start);
        let answer = describe(game.maze(), game.state(), &Report::default()).to_string();
        self.game = Some(game);
        self.answers = vec![answer.clone()];
        Ok(answer)
    }

    fn play(&mut self, actions: Json<'_>) -> Result<String, LineError> {
        let game = self.game.as_mut().ok_or(LineError::NoGame)?;
        let actions: Vec<Json<'_>> = actions.items().take(5).collect();
        let actions: [Json<'_>; 4] = actions.try_into().map_err(|_| LineError::Actions)?;
        let actions =
            BySeat(actions.map(|number| action::integer(&number.scalar()).map_or(Action::Invalid, action::from_number)));
        let report = game.play(&actions).ok_or(LineError::GameOver)?;
        let answer = describe(game.maze(), game.state(), &report).to_string();
        self.answers.push(answer.clone());
        Ok(answer)
    }

    fn undo(&mut self, turns: Json<'_>) -> Result<String, LineError> {
        let game = self.game.as_mut().ok_or(LineError::NoGame)?;
        let played = self.answers.len() - 1;
        let turns = turns.scalar().as_u64().filter(|&turns| turns <= played as u64).ok_or(LineError::Undo(played))? as usize;
        for _ in 0..turns {
            game.undo();
            self.answers.pop();
        }
        Ok(self.answers[played - turns].clone())
    }
}

/// The position after a turn, and what the turn changed.
pub fn describe(maze: &Maze, state: &State, report: &Report) -> Value {
    let content: Vec<u8> = maze.cells().map(|cell| content_bits(state, cell)).collect();
    let player = |seat: Seat| {
        let player = state.player(seat);
        let (row, col) = (maze.row(player.cell), maze.col(player.cell));
        json!([row, col, player.strength, player.boost_turns_left, i32::from(!player.alive)])
    };
    let mut answer = json!({
        "turn": state.turn,
        "alive": state.alive.len(),
        "small_fruits": state.small_fruits.len(),
        "generator_turns_left": state.generator_turns_left,
        "continues": !state.is_over(maze),
        "players": Seat::ALL.map(player),
        "content": content.chunks(maze.width().into()).collect::<Vec<_>>(),
        "change": ChangeFlags::from_report(report).0.map(ChangeFlags::bits),
        "strength_delta": report.strength_delta.0,
    });
    if state.is_over(maze) {
        answer["scores"] = json!(scores(&state.strength).0.map(Score::points));
    }
    answer
}
