//! Measures how well `sage` predicts the actions of players from what they did before in the same game.
//!
//!     xz -dc games.jsonl.xz | cargo run --release -p pacman2 --example predict_actions -- test
//!
//! Standard input has a JSON object per line: `seed` (of a map of Botzone), `seats` (four names), `actions` (a list per turn: Botzone's
//! numbers, null for the dead) and `split`, the argument that selects games. The table shows the mean of -ln of the probability that
//! was given to the action taken, for each player and all together, beside that of equally likely legal actions.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead};

use pacman2_bots::Effort;
use pacman2_bots::sage::Sage;
use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use serde_json::Value;

/// Sums over the decisions of a player.
#[derive(Clone, Copy, Default)]
struct Losses {
    decisions: f64,
    uniform: f64,
    model: f64,
    likeliest: f64,
}

impl Losses {
    fn add(&mut self, expected: &[(Action, f32)], taken: Action) {
        let Some(&(_, chance)) = expected.iter().find(|(action, _)| *action == taken) else { return };
        let most = expected.iter().map(|&(_, chance)| chance).fold(0.0, f32::max);
        self.decisions += 1.0;
        self.uniform += (expected.len() as f64).ln();
        self.model -= f64::from(chance).ln();
        self.likeliest += f64::from(u8::from(chance == most));
    }

    fn print(&self, name: &str) {
        let Losses { decisions, uniform, model, likeliest } = self;
        println!(
            "{name:<24}  {decisions:>9}  {:>7.3}  {:>6.3}  {:>8.1}%",
            uniform / decisions,
            model / decisions,
            100.0 * likeliest / decisions
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let split = std::env::args().nth(1).ok_or("expected the split to measure, such as test")?;
    let mut losses: BTreeMap<String, Losses> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let recorded: Value = serde_json::from_str(&line?)?;
        if recorded["split"] == split.as_str() {
            measure(&recorded, &mut losses).ok_or_else(|| format!("not a recorded game: {recorded}"))?;
        }
    }
    println!("player                    decisions  uniform   model  likeliest");
    let mut all = Losses::default();
    for (name, of_player) in &losses {
        of_player.print(name);
        all.decisions += of_player.decisions;
        all.uniform += of_player.uniform;
        all.model += of_player.model;
        all.likeliest += of_player.likeliest;
    }
    all.print("all");
    Ok(())
}

/// Plays a recorded game again and adds up the losses. Returns nothing if it cannot be played.
fn measure(recorded: &Value, losses: &mut BTreeMap<String, Losses>) -> Option<()> {
    let seed = recorded["seed"].as_i64()? as i32;
    let map = Map::generate(seed, MapSize::default(), Ruleset::default()).ok()?;
    let mut game = Game::new(map.maze, map.start);
    let mut sage = Sage::new(Effort::Simulations(1));
    for turn in recorded["actions"].as_array()? {
        let actions = Seat::ALL.map(|seat| {
            let number = turn[seat.index()].as_i64();
            number.map_or(Action::Stay, |number| action::from_number(number as i32))
        });
        for seat in game.state().alive.iter() {
            let name = recorded["seats"][seat.index()].as_str()?;
            let expected = sage.expected_actions(&game, seat);
            losses.entry(name.to_owned()).or_default().add(&expected, actions[seat.index()]);
        }
        game.play(&BySeat(actions));
    }
    Some(())
}
