//! A game in progress: maze, position, and all turns so far.

use std::sync::Arc;

use crate::action::Action;
use crate::event::Observer;
use crate::maze::Maze;
use crate::report::Report;
use crate::score::{Score, scores};
use crate::seat::BySeat;
use crate::state::State;

/// A game with its history. It can be taken back, turn by turn, to the position it began with.
///
/// ```
/// use pacman2_rules::{Action, BySeat, Direction, Game, picture};
///
/// let (maze, start) = picture::read("
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
/// ").unwrap();
/// let mut game = Game::new(maze, start);
/// let report = game.play(&BySeat([Action::Move(Direction::Right); 4])).unwrap();
/// assert_eq!(report.strength_delta, BySeat([1, -1, 0, 0]));
///
/// assert!(game.undo());
/// assert_eq!(*game.state(), start);
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    maze: Arc<Maze>,
    state: State,
    turns: Vec<HistoryEntry>,
}

/// A turn of a game's history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryEntry {
    /// The position before the turn.
    pub before: State,
    /// The actions as given. Those of the dead have no meaning.
    pub actions: BySeat<Action>,
}

impl Game {
    /// Returns a game that begins with this position.
    pub fn new(maze: impl Into<Arc<Maze>>, state: State) -> Game {
        Game { maze: maze.into(), state, turns: Vec::new() }
    }

    /// Returns the maze.
    #[must_use]
    pub fn maze(&self) -> &Arc<Maze> {
        &self.maze
    }

    /// Returns the current position.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the turns so far, oldest first.
    #[must_use]
    pub fn turns(&self) -> &[HistoryEntry] {
        &self.turns
    }

    /// Returns whether the game is [over](State::is_over).
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_over(&self.maze)
    }

    /// Returns the scores as if the game ended now.
    #[must_use]
    pub fn scores(&self) -> BySeat<Score> {
        scores(&self.state.strength)
    }

    /// Plays one turn and returns what happened. If the game is over, plays nothing and returns `None`.
    pub fn play(&mut self, actions: &BySeat<Action>) -> Option<Report> {
        let mut report = Report::new(&self.maze);
        self.play_with(actions, &mut report).then_some(report)
    }

    /// Plays one turn with an observer. If the game is over, plays nothing and returns `false`.
    ///
    /// ```
    /// use pacman2_rules::{Action, BySeat, Game, picture};
    ///
    /// let (maze, start) = picture::read("
    ///     turn 0/2
    ///     +---+---+---+
    ///     | 0   .   1 |
    ///     +---+---+---+
    /// ").unwrap();
    /// let mut game = Game::new(maze, start);
    /// while game.play_with(&BySeat([Action::Stay; 4]), &mut ()) {}
    /// assert_eq!(game.turns().len(), 2);
    /// ```
    #[inline]
    pub fn play_with(&mut self, actions: &BySeat<Action>, observer: &mut impl Observer) -> bool {
        if self.is_over() {
            return false;
        }
        self.turns.push(HistoryEntry { before: self.state, actions: *actions });
        self.state.play(&self.maze, actions, observer);
        true
    }

    /// Returns the number of the last turn that has actions to choose, counted from 1: the next turn, or the last one played
    /// if the game is over. Returns 0 if the game was over before its first turn.
    #[must_use]
    pub fn last_turn(&self) -> usize {
        self.turns.len() + usize::from(!self.is_over())
    }

    /// Returns the game as it was before a turn, counted from 1; the game as it is if that turn has not been played.
    ///
    /// ```
    /// use pacman2_rules::{Action, BySeat, Game, picture};
    ///
    /// let (maze, start) = picture::read("
    ///     +---+---+---+
    ///     | 0   .   1 |
    ///     +---+---+---+
    /// ").unwrap();
    /// let mut game = Game::new(maze, start);
    /// for _ in 0..5 {
    ///     game.play(&BySeat([Action::Stay; 4]));
    /// }
    /// assert_eq!(game.before(3).state().turn, 2);
    /// assert_eq!(game.last_turn(), 6);
    /// ```
    #[must_use]
    pub fn before(&self, turn: usize) -> Game {
        let mut game = self.clone();
        for _ in turn..=self.turns.len() {
            game.undo();
        }
        game
    }

    /// Takes back the last turn exactly (ruling *exact-undo*). Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(last) = self.turns.pop() else { return false };
        self.state = last.before;
        true
    }
}
