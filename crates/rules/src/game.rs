//! A game in progress: arena, position, and the way back.

use std::sync::Arc;

use crate::action::Action;
use crate::maze::Maze;
use crate::report::{Observer, Report};
use crate::score::{Score, scores};
use crate::seat::BySeat;
use crate::state::State;

/// A game that can be taken back, turn by turn, to where it began.
#[derive(Clone, Debug)]
pub struct Game {
    maze: Arc<Maze>,
    state: State,
    turns: Vec<HistoryEntry>,
}

/// A turn that was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryEntry {
    /// The position before it.
    pub before: State,
    /// What was ordered; of the dead it is nothing that counts.
    pub actions: BySeat<Action>,
}

impl Game {
    /// A game that begins with this position.
    pub fn new(maze: impl Into<Arc<Maze>>, state: State) -> Game {
        Game { maze: maze.into(), state, turns: Vec::new() }
    }

    /// The arena.
    pub fn maze(&self) -> &Arc<Maze> {
        &self.maze
    }

    /// The position now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The turns so far, the first one first.
    pub fn turns(&self) -> &[HistoryEntry] {
        &self.turns
    }

    /// Whether the game has ended.
    pub fn is_over(&self) -> bool {
        self.state.is_over(&self.maze)
    }

    /// What each player scores if the game ends now.
    pub fn scores(&self) -> BySeat<Score> {
        scores(&self.state.strength)
    }

    /// Plays a turn and tells what happened; plays nothing and returns `None` if the game is over.
    pub fn play(&mut self, actions: &BySeat<Action>) -> Option<Report> {
        let mut report = Report::new(&self.maze);
        self.play_with(actions, &mut report).then_some(report)
    }

    /// Plays a turn before this onlooker; plays nothing and returns `false` if the game is over.
    #[inline]
    pub fn play_with(&mut self, actions: &BySeat<Action>, observer: &mut impl Observer) -> bool {
        if self.is_over() {
            return false;
        }
        self.turns.push(HistoryEntry { before: self.state, actions: *actions });
        self.state.play(&self.maze, actions, observer);
        true
    }

    /// The last turn before which there is something to order, counted from 1: the one that comes next, or the last one if the game
    /// is over; 0 if it was over before its first.
    pub fn last_turn(&self) -> usize {
        self.turns.len() + usize::from(!self.is_over())
    }

    /// The game as it was before this turn, counted from 1; as it is now if it has not come so far.
    pub fn before(&self, turn: usize) -> Game {
        let mut game = self.clone();
        for _ in turn..=self.turns.len() {
            game.undo();
        }
        game
    }

    /// Takes the last turn back, exactly (ruling *exact-undo*); returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(last) = self.turns.pop() else { return false };
        self.state = last.before;
        true
    }
}
