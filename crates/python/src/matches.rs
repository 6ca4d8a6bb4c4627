//! The matches of a log, a pack, a replay or another input that people keep, for `pacman2.datasets`.

use std::fs::File;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pacman2_replay::games::{BadGame, FoundGame, Games};
use pyo3::prelude::*;

use crate::convert::refuse;
use crate::game::Game;

/// Reads the matches of a file, one after the other.
///
/// Args:
///     source: a path, or the bytes of a file.
///
/// Raises:
///     OSError: the file cannot be opened.
#[pyclass(module = "pacman2._engine", frozen)]
pub(crate) struct Matches {
    games: Mutex<Games<'static>>,
}

/// A match: where it is in the file, its id if it has one, its players and its turns.
type ReadMatch = (String, Option<String>, Vec<String>, Game);

#[pymethods]
impl Matches {
    #[new]
    #[pyo3(signature = (source, /))]
    fn new(source: &Bound<'_, PyAny>) -> PyResult<Matches> {
        let games = match source.extract::<Vec<u8>>() {
            Ok(bytes) => Games::new(Cursor::new(bytes), None),
            Err(_) => Games::new(File::open(source.extract::<PathBuf>()?)?, None),
        };
        Ok(Matches { games: Mutex::new(games) })
    }

    /// Returns the next match, or None after the last.
    ///
    /// Raises:
    ///     ValueError: the match cannot be read, or contradicts the rules. The next one may be fine.
    fn read(&self, py: Python<'_>) -> PyResult<Option<ReadMatch>> {
        let next = || self.games.lock().unwrap_or_else(PoisonError::into_inner).next();
        py.detach(next).map(played).transpose()
    }
}

fn played(found: Result<FoundGame, BadGame>) -> PyResult<ReadMatch> {
    let FoundGame { place, id, replay, .. } = found.map_err(refuse)?;
    let playback = replay.play_back();
    if let Some(difference) = playback.difference {
        return Err(refuse(format!("{place}: {difference}")));
    }
    let names = replay.public.seats.iter().map(|seat| seat.name.clone()).collect();
    let game = Game::with_turns(replay.public.map.seed, playback.session.game().clone());
    Ok((place.to_string(), id, names, game))
}
