//! Measures how well `sage` predicts the actions of players from what they did before in the same game.
//!
//!     xz -dc games.jsonl.xz | cargo run --release -p lab --bin predict_actions -- test
//!
//! The argument is the split of the recorded games on standard input (see `recorded`). The table shows the mean of -ln of the
//! probability that was given to the action taken, for each player and all together, beside that of equally likely legal actions.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;

use lab::recorded::RecordedGame;
use pacman2_bots::Effort;
use pacman2_bots::sage::Sage;
use pacman2_rules::Action;

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
    for recorded in RecordedGame::read_all(io::stdin().lock())?.iter().filter(|recorded| recorded.split == split) {
        let mut sage = Sage::new(Effort::Simulations(1));
        recorded.decisions(|game, seat, taken| {
            let expected = sage.expected_actions(game, seat);
            losses.entry(recorded.game.names[seat.index()].clone()).or_default().add(&expected, taken);
        })?;
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
