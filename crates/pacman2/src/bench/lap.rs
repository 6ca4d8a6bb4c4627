//! What was done in a measurement, and what it took.

use std::time::Duration;

/// Some turns or games, and what they took.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Lap {
    pub(super) turns: u64,
    pub(super) games: u64,
    pub(super) time: Duration,
    /// `None` if the counters did not run all the time.
    pub(super) spent: Option<Spent>,
}

/// What the processor spent in user space on this thread.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Spent {
    pub(super) cycles: u64,
    pub(super) instructions: u64,
}

impl Lap {
    pub(super) fn add(&mut self, other: &Lap) {
        self.turns += other.turns;
        self.games += other.games;
        self.time += other.time;
        self.spent = self.spent.zip(other.spent).map(|(own, others)| Spent {
            cycles: own.cycles + others.cycles,
            instructions: own.instructions + others.instructions,
        });
    }

    pub(super) fn turns_per_second(&self) -> f64 {
        self.turns as f64 / self.time.as_secs_f64()
    }

    pub(super) fn games_per_second(&self) -> f64 {
        self.games as f64 / self.time.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spent_is_unknown_if_a_part_is_unknown() {
        let of = |spent| Lap { spent, ..Lap::default() };
        let some = |cycles, instructions| Some(Spent { cycles, instructions });
        let mut total = of(some(10, 30));
        total.add(&of(some(5, 6)));
        assert_eq!(total.spent, some(15, 36));
        total.add(&of(None));
        total.add(&of(some(1, 1)));
        assert_eq!(total.spent, None);
    }
}
