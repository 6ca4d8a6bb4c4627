//! The game that a user names: a file of any form, a link, or one match of a pack.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use pacman2_botzone::local_ai::MatchId;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::text::sanitize;
use pacman2_replay::games::{BadGame, FoundGame, GameError, GameForm, Games, Place};
use pacman2_replay::{GameLink, LinkError};
use pacman2_rules::ForfeitRuling;
use pacman2_runner::Language;

/// What a user typed for a game or a pack.
pub(crate) struct NamedGames {
    path: PathBuf,
    /// A whole game in the text itself.
    is_link: bool,
    /// The match that the user wants of a pack: its id, or its number counted from 1.
    selector: Option<String>,
}

impl NamedGames {
    /// Takes the text apart: a file, a link, or a file, `#` and a match of it.
    pub(crate) fn new(typed: &Path) -> NamedGames {
        let whole = |is_link| NamedGames { path: typed.to_owned(), is_link, selector: None };
        let Some(text) = typed.to_str().filter(|_| !typed.exists()) else { return whole(false) };
        if GameLink::find(text).is_some() {
            return whole(true);
        }
        match text.rsplit_once('#') {
            Some((file, selector)) if Path::new(file).is_file() => {
                NamedGames { path: file.into(), is_link: false, selector: Some(selector.to_owned()) }
            }
            _ => whole(false),
        }
    }

    /// Returns which match of a pack the user wants.
    pub(crate) fn selector(&self) -> Option<&str> {
        self.selector.as_deref()
    }

    /// Opens them.
    pub(crate) fn open(&self, ruling: Option<ForfeitRuling>) -> anyhow::Result<Games<'static>> {
        match self.path.to_str().filter(|_| self.is_link) {
            Some(link) => Ok(Games::new(Cursor::new(link.trim().to_owned()), ruling)),
            None => files::open_games(&self.path, ruling).map_err(|error| self.on_botzone().unwrap_or(error)),
        }
    }

    /// Returns the error for the address of a match on Botzone.
    fn on_botzone(&self) -> Option<anyhow::Error> {
        let (site, id) = self.path.to_str()?.split_once("/match/")?;
        let id = id.parse::<MatchId>().ok().filter(|_| site.starts_with("http"))?;
        Some(bad_input(format!(
            "{}: expected a file or a link with a game; \"pacman2 botzone fetch {id}\" fetches this match",
            self.path.display()
        )))
    }

    /// Returns what messages call a game: a link is too long to be repeated.
    pub(crate) fn name(&self, place: &Place) -> String {
        let file = if self.is_link { "the link".to_owned() } else { self.path.display().to_string() };
        if *place == Place::default() { file } else { format!("{file}: {}", sanitize(&place.to_string())) }
    }

    /// Returns whether the `number`-th game is the one that the user wants, if the user wants one.
    pub(crate) fn is_selected(&self, number: usize, game: &Result<FoundGame, BadGame>) -> bool {
        let Some(selector) = &self.selector else { return true };
        // An id may have digits only, and begin with zeros.
        *selector == number.to_string() || game.as_ref().is_ok_and(|game| game.id.as_ref() == Some(selector))
    }

    /// Returns the error for a game that cannot be read.
    pub(crate) fn rejection(&self, bad: &BadGame) -> anyhow::Error {
        if matches!(bad.error, GameError::NotJson(_)) && Language::from_file(&self.path).is_some() {
            let bot = self.path.display();
            return bad_input(format!("{bot}: expected a match, got a bot; play it with \"pacman2 play {bot}\""));
        }
        let advice = match &bad.error {
            GameError::Link(
                LinkError::Character { .. }
                | LinkError::CutOff { .. }
                | LinkError::TrailingBytes { .. }
                | LinkError::Checksum { .. },
            ) => "; copy the whole link again",
            _ => "",
        };
        // The sentences about links name the link.
        let name = if self.is_link { String::new() } else { format!("{}: ", self.name(&bad.place)) };
        bad_input(format!("{name}{}{advice}", sanitize(&bad.error.to_string())))
    }

    /// Returns the error for a file in which no game can be read, by the first that cannot.
    pub(crate) fn without_games(&self, first: &BadGame) -> anyhow::Error {
        let file = self.path.display();
        match &first.error {
            _ if first.place.entry.is_some() => {
                let first = sanitize(&first.to_string());
                bad_input(format!("{file}: expected a zip with files of matches, got none that can be read; {first}"))
            }
            GameError::NotJson(_) if self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) => {
                bad_input(format!("{file}: expected a zip, got something else; download or pack it again"))
            }
            _ => self.rejection(first),
        }
    }

    /// Prints that a game is left out.
    pub(crate) fn warn_of_skipped(&self, bad: &BadGame) {
        eprintln!("pacman2: warning: {}; it is skipped", self.rejection(bad));
    }

    /// Prints what is odd about a game.
    pub(crate) fn warn_of(&self, game: &FoundGame) {
        for remark in &game.remarks {
            eprintln!("pacman2: warning: {}: {}", self.name(&game.place), sanitize(&remark.to_string()));
        }
    }

    /// Returns the first game that can be read and that the user wants, and says if there are others.
    fn first(&self, ruling: Option<ForfeitRuling>) -> anyhow::Result<FoundGame> {
        let mut bad = Vec::new();
        let mut games = (1..).zip(self.open(ruling)?);
        let mut all = 0;
        for (number, game) in games.by_ref() {
            all = number;
            if !self.is_selected(number, &game) {
                continue;
            }
            match game {
                Ok(game) => {
                    bad.iter().for_each(|bad| self.warn_of_skipped(bad));
                    if self.selector.is_none()
                        && let Some((other, _)) = games.find(|(_, game)| game.is_ok())
                    {
                        self.say_which(&game, other);
                    }
                    self.warn_of(&game);
                    return Ok(game);
                }
                Err(error) => bad.push(error),
            }
        }
        match (bad.first(), &self.selector) {
            (Some(bad), _) => Err(self.without_games(bad)),
            (None, selector) => {
                let selector = selector.as_deref().unwrap_or_default();
                let file = self.path.display();
                Err(bad_input(format!("{file}#{selector}: expected the id of a match in {file}, or a number from 1 to {all}")))
            }
        }
    }

    fn say_which(&self, game: &FoundGame, other: usize) {
        let file = self.path.display();
        let id = game.id.as_ref().map_or_else(String::new, |id| format!(", {}", sanitize(id)));
        eprintln!(
            "pacman2: {file} has several matches; this is {}{id}. Name another by its id or number, such as \"{file}#{other}\"",
            sanitize(&game.place.to_string())
        );
    }
}

/// Reads the game that a user names. Returns what messages call it, too.
pub(crate) fn read(typed: &Path, ruling: Option<ForfeitRuling>) -> anyhow::Result<(FoundGame, String)> {
    let named = NamedGames::new(typed);
    let game = named.first(ruling)?;
    let name = named.name(&game.place);
    Ok((game, name))
}

/// Returns the turn to which a link leads.
pub(crate) fn linked_turn(game: &FoundGame) -> Option<usize> {
    match game.form {
        GameForm::Link(turn) => turn,
        _ => None,
    }
}
