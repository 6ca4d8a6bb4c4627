//! A turn of all games, and random actions, with any instruction set.

#[cfg(doc)]
use pacman2_rules::Action;

use super::{Block, Games, StartSource, automatic_source};
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};

impl Games {
    /// Plays one turn of all games.
    ///
    /// `actions` has the four seats of each game, as indices in [`Action::ALL`]. Other numbers are [`Action::Invalid`], with
    /// which a player forfeits. Actions of the dead have no effect. `rewards` receives the strength that each seat has gained
    /// or lost. [`Games::ended`] returns the games that ended.
    ///
    /// # Panics
    ///
    /// If the number of actions or of rewards is not that of games, or if [`StartSource::start`] panics.
    pub fn step(&mut self, actions: &[[u8; 4]], rewards: &mut [[i32; 4]]) {
        self.assert_count(actions.len(), "actions");
        self.assert_count(rewards.len(), "rewards");
        let blocks = self.blocks.iter_mut().zip(actions.chunks(LANES)).zip(rewards.chunks_mut(LANES));
        let source = automatic_source(&self.source, self.keep_ended);
        arch::dispatch(self.instruction_set, Step { blocks, source });
    }

    /// Plays one turn like [`Games::step`], on this thread and the others of rayon's pool.
    ///
    /// Waking the threads takes some microseconds, the time of a thousand games, which pays from ten thousand games on.
    ///
    /// # Panics
    ///
    /// As [`Games::step`].
    pub fn step_in_parallel(&mut self, actions: &[[u8; 4]], rewards: &mut [[i32; 4]]) {
        self.assert_count(actions.len(), "actions");
        self.assert_count(rewards.len(), "rewards");
        let (instruction_set, source) = (self.instruction_set, automatic_source(&self.source, self.keep_ended));
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let games_each = blocks_each * LANES;
        let parts = self.blocks.chunks_mut(blocks_each).zip(actions.chunks(games_each)).zip(rewards.chunks_mut(games_each));
        let mut steps = parts.map(|((blocks, actions), rewards)| {
            let blocks = blocks.iter_mut().zip(actions.chunks(LANES)).zip(rewards.chunks_mut(LANES));
            move || arch::dispatch(instruction_set, Step { blocks, source })
        });
        let first = steps.next();
        rayon::in_place_scope(|scope| {
            steps.for_each(|step| scope.spawn(|_| step()));
            first.into_iter().for_each(|step| step());
        });
    }

    /// Draws legal actions, as indices in [`Action::ALL`]. They are uniform (bias below 1/7281). The dead stay.
    ///
    /// What is drawn in a game depends only on its seed and on the number of draws since it began.
    ///
    /// # Panics
    ///
    /// If the length of `actions` is not the number of games.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pacman2_batch::{Games, InstructionSet, StartPosition};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 90/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let starts = vec![Arc::new(StartPosition::new(maze, state))];
    /// let mut games = Games::new(InstructionSet::best(), 64, 1, Arc::new(starts));
    /// let mut actions = [[0; 4]; 64];
    /// games.random_actions(&mut actions);
    /// // Seat 0 can stay (0), or move right (2): the other sides are walled, and it is too weak to shoot.
    /// assert!(actions.iter().all(|actions| [0, 2].contains(&actions[0])));
    /// ```
    pub fn random_actions(&mut self, actions: &mut [[u8; 4]]) {
        self.assert_count(actions.len(), "actions");
        let blocks = self.blocks.iter_mut().zip(actions.chunks_mut(LANES));
        arch::dispatch(self.instruction_set, RandomActions { blocks });
    }
}

struct Step<'a, B> {
    blocks: B,
    source: Option<&'a dyn StartSource>,
}

impl<'b, B: Iterator<Item = ((&'b mut Block, &'b [[u8; 4]]), &'b mut [[i32; 4]])>> Work for Step<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for ((block, actions), rewards) in self.blocks {
            block.step(lanes, actions, rewards, self.source);
        }
    }
}

struct RandomActions<B> {
    blocks: B,
}

impl<'b, B: Iterator<Item = (&'b mut Block, &'b mut [[u8; 4]])>> Work for RandomActions<B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (block, actions) in self.blocks {
            block.random_actions(lanes, actions);
        }
    }
}
