//! The learning curve: what each generation learned and gained.

use pacman2_bots::net::WEIGHTS;
use pacman2_training::{DuelBlock, DuelEstimate, Epoch, LeaguePlayer};
use serde_json::{Value, json};

/// A generation on the curve.
pub(super) struct Point {
    pub(super) generation: u32,
    pub(super) learned: Learned,
    pub(super) duels: Vec<Duel>,
}

/// The result of a generation's training.
#[derive(Clone, Copy)]
pub(super) struct Learned {
    /// The number of training samples, and of held-out samples.
    pub(super) training: usize,
    pub(super) held_out: usize,
    /// The epoch whose net was taken.
    pub(super) best: Epoch,
    /// The loss of the hand-made evaluation on the held-out samples.
    pub(super) hand_made: f64,
}

/// The games between the newest net and another player.
pub(super) struct Duel {
    pub(super) other: LeaguePlayer,
    pub(super) blocks: Vec<DuelBlock>,
}

impl Duel {
    pub(super) fn estimate(&self) -> Option<DuelEstimate> {
        (!self.blocks.is_empty()).then(|| DuelEstimate::from_blocks(&self.blocks))
    }

    fn json(&self) -> Value {
        let estimate = self.estimate();
        json!({
            "against": self.other.to_string(),
            "maps": self.blocks.len(),
            "games": 4 * self.blocks.len(),
            "points": estimate.map(|estimate| rounded(estimate.mean)),
            "margin": estimate.and_then(|estimate| estimate.margin).map(rounded),
        })
    }

    /// The mean difference with its confidence interval.
    fn describe(&self) -> String {
        match self.estimate() {
            None => "–".to_owned(),
            Some(DuelEstimate { mean, margin: None }) => format!("{mean:+.1}"),
            Some(DuelEstimate { mean, margin: Some(margin) }) => format!("{mean:+.1} ± {margin:.1}"),
        }
    }
}

impl Point {
    pub(super) fn json(&self) -> Value {
        let Learned { training, held_out, best, hand_made } = self.learned;
        json!({
            "generation": self.generation,
            "samples": training,
            "held_out_samples": held_out,
            "epoch": best.number,
            "training_loss": rounded(best.training),
            "held_out_loss": rounded(best.held_out),
            "hand_made_loss": rounded(hand_made),
            "duels": self.duels.iter().map(Duel::json).collect::<Vec<_>>(),
        })
    }

    fn against(&self, other: LeaguePlayer) -> String {
        self.duels.iter().find(|duel| duel.other == other).map_or("–".to_owned(), Duel::describe)
    }
}

/// Returns the curve as JSON.
pub(super) fn json(points: &[Point]) -> Value {
    json!({ "weights": WEIGHTS, "generations": points.iter().map(Point::json).collect::<Vec<_>>() })
}

/// Returns the curve as a table. All nets were measured against `reference`.
pub(super) fn table(points: &[Point], reference: LeaguePlayer) -> String {
    let mut text = format!(
        "                       loss (KL divergence, nats)       points per seat ± 95 %, against\n\
         generation  samples  training  held out  hand-made   previous net  {:>13}\n",
        reference.to_string()
    );
    for point in points {
        let Learned { training, best, hand_made, .. } = point.learned;
        let previous = point.against(LeaguePlayer::Net(point.generation - 1));
        let against = point.against(reference);
        text += &format!(
            "{:>10} {training:>8}  {:>8.4}  {:>8.4}  {hand_made:>9.4}  {previous:>13}  {against:>13}\n",
            point.generation, best.training, best.held_out
        );
    }
    text
}

/// Rounds to six decimals, which is more than the precision of these numbers.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
