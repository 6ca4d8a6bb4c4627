//! Counts what happened in games that were compared, so that tests can require that everything did.

use std::collections::BTreeMap;

use pacman2_rules::{Action, Cause, Event, ForfeitRuling, Fruit, Maze, Observer, SeatSet, State};

/// How often each thing happened.
#[derive(Default)]
pub(crate) struct Coverage(BTreeMap<&'static str, u64>);

impl Coverage {
    pub(crate) fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub(crate) fn add(&mut self, what: &'static str, times: u64) {
        *self.0.entry(what).or_default() += times;
    }

    pub(crate) fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    /// Asserts that each of these happened at least that often.
    pub(crate) fn assert_at_least(&self, times: u64, what: &[&'static str]) {
        let rare: Vec<_> = what.iter().map(|&what| (what, self.of(what))).filter(|&(_, coverage)| coverage < times).collect();
        assert!(rare.is_empty(), "less than {times} times: {rare:?}; counted: {:#?}", self.0);
    }

    /// Returns an observer of the next turn of a game.
    pub(crate) fn watch<'a>(&'a mut self, maze: &'a Maze, before: &State) -> CoverageObserver<'a> {
        CoverageObserver { coverage: self, maze, before: *before, forfeited: SeatSet::EMPTY }
    }

    /// All that [`CoverageObserver`] counts.
    pub(crate) const ALL: [&'static str; 28] = [
        "frightened",
        "one strongest fights one",
        "one strongest fights two",
        "one strongest fights three",
        "two strongest fight",
        "three strongest fight",
        "loot is not shared evenly",
        "light",
        "hit",
        "hit for an odd cost",
        "hit leaves an odd negative strength",
        "hit on the forfeited by the judge",
        "hit on the forfeited by the prose",
        "death by light",
        "death by a boost's end",
        "boost ended",
        "spawn",
        "spawn under a player",
        "small fruit eaten",
        "large fruit eaten",
        "large fruit eaten during a boost",
        "large fruit eaten that lasts for no turn",
        "small fruit eaten on top of a large one",
        "sole survivor inherits",
        "forfeit, sample",
        "forfeit, judge",
        "forfeit, prose",
        "forfeit for a light without strength",
    ];
}

/// Counts the events of a turn.
pub(crate) struct CoverageObserver<'a> {
    coverage: &'a mut Coverage,
    maze: &'a Maze,
    before: State,
    forfeited: SeatSet,
}

impl Observer for CoverageObserver<'_> {
    fn on_event(&mut self, event: Event) {
        let settings = self.maze.ruleset();
        let what: &[&str] = match event {
            Event::Frightened { .. } => &["frightened"],
            Event::Fought { winners, eaten, loot, share, .. } => {
                if share * winners.len() as i32 != loot {
                    self.coverage.count("loot is not shared evenly");
                }
                match (winners.len(), eaten.len()) {
                    (1, 1) => &["one strongest fights one"],
                    (1, 2) => &["one strongest fights two"],
                    (1, _) => &["one strongest fights three"],
                    (2, _) => &["two strongest fight"],
                    _ => &["three strongest fight"],
                }
            }
            Event::Fired { .. } => &["light"],
            Event::Hit { victim, victim_strength, .. } => {
                if self.forfeited.contains(victim) {
                    self.coverage.count(match settings.forfeit_ruling {
                        ForfeitRuling::Judge => "hit on the forfeited by the judge",
                        ForfeitRuling::Prose => "hit on the forfeited by the prose",
                        ForfeitRuling::Sample => "hit on the forfeited by the sample program",
                    });
                }
                match settings.skill_cost % 2 {
                    0 => &["hit"],
                    _ if victim_strength < 0 => &["hit", "hit for an odd cost", "hit leaves an odd negative strength"],
                    _ => &["hit", "hit for an odd cost"],
                }
            }
            Event::Died { seat, cause: Cause::IllegalAction { action }, .. } => {
                self.forfeited.insert(seat);
                if let Action::Shoot(_) = action {
                    self.coverage.count("forfeit for a light without strength");
                }
                match settings.forfeit_ruling {
                    ForfeitRuling::Sample => &["forfeit, sample"],
                    ForfeitRuling::Judge => &["forfeit, judge"],
                    ForfeitRuling::Prose => &["forfeit, prose"],
                }
            }
            Event::Died { cause: Cause::Light { .. }, .. } => &["death by light"],
            Event::Died { cause: Cause::BoostEnded, .. } => &["death by a boost's end"],
            Event::Died { cause: Cause::Eaten { .. }, .. } => &["death by being eaten"],
            Event::Ate { cell, fruit: Fruit::Small, .. } if self.before.large_fruits.contains(cell) => {
                &["small fruit eaten", "small fruit eaten on top of a large one"]
            }
            Event::Ate { fruit: Fruit::Small, .. } => &["small fruit eaten"],
            Event::Ate { seat, fruit: Fruit::Large, .. } if self.before.boost_turns_left[seat] > 0 => {
                &["large fruit eaten", "large fruit eaten during a boost"]
            }
            Event::Ate { .. } if settings.large_fruit_duration == 0 => {
                &["large fruit eaten", "large fruit eaten that lasts for no turn"]
            }
            Event::Ate { .. } => &["large fruit eaten"],
            Event::BoostEnded { .. } => &["boost ended"],
            Event::FruitSpawned { cells } => {
                if self.before.alive.iter().any(|seat| cells.contains(self.before.cells[seat])) {
                    self.coverage.count("spawn under a player");
                }
                if cells.is_empty() { &["spawn of nothing"] } else { &["spawn"] }
            }
            Event::Inherited { .. } => &["sole survivor inherits"],
            Event::Acted { .. }
            | Event::Moved { .. }
            | Event::Looted { .. }
            | Event::BoostCounted { .. }
            | Event::StrengthReset { .. } => &[],
        };
        what.iter().for_each(|what| self.coverage.count(what));
    }
}

/// Returns whether lanes certainly hold this position.
pub(crate) fn is_small(maze: &Maze, state: &State) -> bool {
    let settings = maze.ruleset();
    let boosts = state.boost_turns_left.0.iter().sum::<u32>() + state.large_fruits.len() * settings.large_fruit_duration;
    settings.skill_cost <= 5
        && settings.large_fruit_enhancement <= 12
        && state.strength.0.iter().all(|strength| (1..=10).contains(strength))
        && settings.generator_interval <= 255
        && (1..=255).contains(&state.generator_turns_left)
        && boosts <= 255
}

/// Returns whether some number of this position fits no byte.
pub(crate) fn is_large(maze: &Maze, state: &State) -> bool {
    let counts = state.boost_turns_left.0.into_iter().chain([state.generator_turns_left, maze.ruleset().generator_interval]);
    state.strength.0.iter().any(|strength| !(0..=127).contains(strength)) || counts.into_iter().any(|count| count > 255)
}
