//! `pacman2 simulate`: games turn by turn, lines in and lines out.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use pacman2_botzone::action;
use pacman2_maps::content_bits;
use pacman2_rules::{Action, BySeat, Game, Report, Ruleset, Seat};
use serde_json::{Value, json};

use crate::args::SimulateArgs;

pub(crate) fn run(args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let mut simulation = Simulation { base: args.ruling.ruleset(), game: None, told: Vec::new() };
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            let answer = simulation.answer(&text).unwrap_or_else(|reason| json!({ "error": reason }).to_string());
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
        line.clear();
    }
    Ok(ExitCode::SUCCESS)
}

struct Simulation {
    /// The rules that init data does not give.
    base: Ruleset,
    game: Option<Game>,
    /// What was answered at each position since the start, so that going back answers the same.
    told: Vec<String>,
}

impl Simulation {
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        if let Some(actions) = value.get("actions") {
            self.play(actions)
        } else if let Some(turns) = value.get("undo") {
            self.undo(turns)
        } else {
            self.start(&value)
        }
    }

    fn start(&mut self, init_data: &Value) -> Result<String, String> {
        let known = ["seed", "static", "content"].iter().any(|key| init_data.get(key).is_some());
        if !known {
            return Err(
                "init data with seed or static and content, {\"actions\": [a, a, a, a]} or {\"undo\": n} is wanted".to_owned()
            );
        }
        let (map, _) = pacman2_botzone::init_data::read(init_data, 0, self.base).map_err(|refusal| refusal.to_string())?;
        let game = Game::new(map.maze, map.start);
        let answer = describe(&game, &Report::default()).to_string();
        self.game = Some(game);
        self.told = vec![answer.clone()];
        Ok(answer)
    }

    fn play(&mut self, actions: &Value) -> Result<String, String> {
        let game = self.game.as_mut().ok_or("no game has begun; a line of init data is wanted first")?;
        let actions = actions.as_array().filter(|actions| actions.len() == 4);
        let actions = actions.ok_or("actions is not a list of four; one for each seat is wanted, null for the dead")?;
        let actions =
            BySeat::from_fn(|seat| action::integer(&actions[seat.index()]).map_or(Action::Invalid, action::from_number));
        let report = game.play(&actions).ok_or("the game is over; undo or new init data is wanted")?;
        let answer = describe(game, &report).to_string();
        self.told.push(answer.clone());
        Ok(answer)
    }

    fn undo(&mut self, turns: &Value) -> Result<String, String> {
        let game = self.game.as_mut().ok_or("no game has begun; a line of init data is wanted first")?;
        let played = self.told.len() - 1;
        let turns = turns.as_u64().filter(|&turns| turns <= played as u64);
        let turns = turns.ok_or_else(|| format!("undo wants a number of turns from 0 to {played}"))? as usize;
        for _ in 0..turns {
            game.undo();
            self.told.pop();
        }
        Ok(self.told[played - turns].clone())
    }
}

fn describe(game: &Game, report: &Report) -> Value {
    let (arena, state) = (game.maze(), game.state());
    let content: Vec<u8> = arena.cells().map(|cell| content_bits(state, cell)).collect();
    let player = |seat: Seat| {
        let player = state.player(seat);
        let (row, col) = (arena.row(player.cell), arena.col(player.cell));
        json!([row, col, player.strength, player.boost_turns_left, i32::from(!player.alive)])
    };
    let mut answer = json!({
        "turn": state.turn,
        "alive": state.alive.len(),
        "small_fruits": state.small_fruits.len(),
        "generator_turns_left": state.generator_turns_left,
        "continues": !game.is_over(),
        "players": Seat::ALL.map(player),
        "content": content.chunks(arena.width().into()).collect::<Vec<_>>(),
        "change": report.change.0.map(|change| change.0),
        "strength_delta": report.strength_delta.0,
    });
    if game.is_over() {
        answer["scores"] = json!(game.scores().0.map(pacman2_botzone::session::points));
    }
    answer
}
