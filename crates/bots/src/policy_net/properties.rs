//! The properties of an action, with names for people and for other nets.

/// A property of an action. Its value falls into one of some bins; each bin is a row of the policy net's first layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Property {
    /// The name.
    pub name: &'static str,
    /// The values that fall into each bin.
    pub bins: &'static [&'static str],
}

/// All properties in the order of their rows. [`super::ActionRows`] has at most one row of each.
///
/// *There* is the cell on which the player is after the action. A *rival* is another living player. Steps are those of the shortest way
/// through the maze.
///
/// ```
/// use pacman2_bots::policy_net::{PROPERTIES, ROWS};
///
/// assert_eq!(PROPERTIES.iter().map(|property| property.bins.len()).sum::<usize>(), ROWS);
/// ```
pub const PROPERTIES: [Property; 36] = [
    Property { name: "kind", bins: &["stay", "move", "shoot"] },
    Property { name: "turns left", bins: &["1", "2", "3", "4-5", "6-8", "9-13", "14-20", "21-40", "41-70", "≥71"] },
    Property { name: "own boost turns", bins: &["0", "1", "2", "3", "4-6", "≥7"] },
    Property { name: "turns until fruit spawns", bins: &["1", "2", "3", "4-5", "6-8", "9-12", "≥13"] },
    Property { name: "steps to a spawn cell", bins: &["0", "1", "2", "3", "4-5", "≥6"] },
    Property {
        name: "steps to a spawn cell minus turns until fruit spawns",
        bins: &["≤-6", "-5 to -3", "-2", "-1", "0", "1", "≥2"],
    },
    Property {
        name: "fruit there and who may come",
        bins: &[
            "none",
            "none, rival",
            "none, stronger rival",
            "small",
            "small, rival",
            "small, stronger rival",
            "large",
            "large, rival",
            "large, stronger rival",
        ],
    },
    Property { name: "stronger rivals that may come", bins: &["0", "1", "≥2"] },
    Property { name: "steps to the nearest small fruit", bins: &DISTANCE_CHANGES },
    Property { name: "steps to the nearest large fruit", bins: &DISTANCE_CHANGES },
    Property { name: "steps to the nearest small fruit with no rival nearer", bins: &DISTANCE_CHANGES },
    Property {
        name: "discounted fruit less than of the best action", bins: &["0", "≤0.1", "≤0.25", "≤0.5", "≤1", "≤2", "≥2"]
    },
    Property { name: "discounted fruit of the best action", bins: &["≤0.1", "≤0.5", "≤1", "≤2", "≤3.5", "≥3.5"] },
    Property { name: "fruit within two steps", bins: &["0", "1", "2", "3", "≥4"] },
    Property { name: "steps to the nearest stronger rival", bins: &DISTANCE_CHANGES },
    Property { name: "steps to the nearest weaker rival", bins: &DISTANCE_CHANGES },
    Property { name: "steps to the nearest rival of equal strength", bins: &DISTANCES },
    Property { name: "depth in a dead end", bins: &["0", "0, shut", "1", "1, shut", "2", "2, shut", "≥3", "≥3, shut"] },
    Property { name: "open sides", bins: &["1", "2", "3", "4"] },
    Property { name: "strongest rival here", bins: &["none", "weaker", "equal", "stronger"] },
    Property { name: "strongest rival there", bins: &["none", "weaker", "equal", "stronger"] },
    Property {
        name: "rivals that can light the cell",
        bins: &["0", "0, lit before", "1", "1, lit before", "≥2", "≥2, lit before"],
    },
    Property { name: "a rival cannot miss", bins: &["no", "yes"] },
    Property { name: "rivals to light from there", bins: &["0, too weak", "1, too weak", "≥2, too weak", "0", "1", "≥2"] },
    Property { name: "shot: rivals it cannot miss", bins: &["0", "1", "≥2"] },
    Property { name: "shot: best chance in percent", bins: &["≤19", "20-26", "27-40", "41-51", "52-99", "100"] },
    Property { name: "shot: sum of chances in percent", bins: &["≤30", "31-60", "61-100", "≥101"] },
    Property { name: "shot: steps to the target", bins: &["0-1", "2", "3-4", "5-7", "≥8"] },
    Property { name: "shot: target", bins: &["weaker", "equal", "stronger"] },
    Property { name: "own strength", bins: &["≤4", "5", "6-7", "8-10", "11-15", "16-24", "≥25"] },
    Property { name: "stronger rivals", bins: &["0", "1", "2", "3"] },
    Property { name: "lead over the strongest rival", bins: &["≤-10", "-9 to -4", "-3 to -1", "0", "1-3", "4-9", "≥10"] },
    Property { name: "living players", bins: &["≤2", "3", "4"] },
    Property { name: "the quick policy's action", bins: &["no", "yes"] },
    Property { name: "a stronger rival's boost ends below own strength", bins: &["no", "yes"] },
    Property { name: "a weaker rival is shut in a dead end", bins: &["no", "yes"] },
];

/// Steps.
const DISTANCES: [&str; 8] = ["0", "1", "2", "3", "4", "5-6", "≥7", "none"];

/// Steps after the action, and whether they are fewer, as many, or more than before.
const DISTANCE_CHANGES: [&str; 24] = [
    "0, nearer",
    "0",
    "0, farther",
    "1, nearer",
    "1",
    "1, farther",
    "2, nearer",
    "2",
    "2, farther",
    "3, nearer",
    "3",
    "3, farther",
    "4, nearer",
    "4",
    "4, farther",
    "5-6, nearer",
    "5-6",
    "5-6, farther",
    "≥7, nearer",
    "≥7",
    "≥7, farther",
    "none, nearer",
    "none",
    "none, farther",
];
