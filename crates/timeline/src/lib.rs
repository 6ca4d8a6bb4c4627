//! A match as a viewer sees it: a head with everything that stays the same, and a frame for each position with the events
//! that led to it. Everything that a page draws or says of a match comes from this crate.
//!
//! - [`Timeline`]: a match that can be opened, played on, branched and saved;
//! - [`json_view`]: its head, frames and positions as JSON, in the shapes of `crates/web/viewer/types.d.ts`;
//! - [`timelines`]: the timelines that a page has open, behind one function that takes and returns JSON;
//! - [`qr_code`]: a text as a QR code;
//! - [`animation`]: pictures that a page has drawn, as an animated GIF.
//!
//! The page runs this crate as WebAssembly (`cargo xtask viewer` builds it).

#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![cfg_attr(target_family = "wasm", deny(unsafe_code))]

pub mod animation;
mod error;
pub mod json_view;
pub mod qr_code;
pub mod timelines;
#[cfg(target_family = "wasm")]
pub mod wasm;

use pacman2_bots::BuiltIn;
use pacman2_botzone::init_data;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn, first_request, limits};
use pacman2_maps::{Map, MapSize};
use pacman2_replay::games::{self, FoundGame, GameForm};
use pacman2_replay::{
    LimitsInfo, LinkError, Playback, PrivatePart, Replay, ReplayDifference, SeatInfo, TurnDiagnostics, TurnInfo,
};
use pacman2_rules::{Action, BySeat, Ruleset, Seat, State, picture};
use serde_json::{Value, json};

pub use error::TimelineError;

/// A match, played again as far as it agrees with the rules.
///
/// ```
/// use pacman2_maps::MapSize;
/// use pacman2_rules::BySeat;
/// use pacman2_timeline::{Timeline, TimelineError};
///
/// let mut timeline = Timeline::generate(42, MapSize::default())?;
/// timeline.play(BySeat([Some(-1); 4]))?;
/// assert_eq!(timeline.turns(), 1);
/// assert_eq!(timeline.frame(1)?["players"][0]["alive"], true);
///
/// // It is saved as a replay, and opened from one.
/// let saved = timeline.to_replay().write();
/// assert_eq!(Timeline::open(&saved)?.turns(), 1);
/// # Ok::<(), TimelineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What the timeline was opened from.
    pub source: TimelineSource,
    session: Session,
    seats: BySeat<SeatInfo>,
    limits: LimitsInfo,
    turns: Vec<SessionTurn>,
    private: PrivatePart,
    /// Where the replay that was opened differs from the rules; the timeline ends there.
    difference: Option<ReplayDifference>,
}

/// What a timeline was opened from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TimelineSource {
    /// A replay.
    Replay,
    /// One of Botzone's match logs.
    MatchLog,
    /// The input of a bot, which ends with the last turn that the bot knew.
    SavedInput,
    /// A map on which nothing has been played yet.
    Map,
    /// A turn of another timeline, to be played on differently.
    WhatIf,
    /// A game in a link, which holds nothing but the map, the names and the actions.
    Link,
}

/// The forms in which a position can be written as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextForm {
    /// Init data. It has no strengths, boosts or deaths: all four players live, with strength 1.
    Init,
    /// A picture, with everything.
    Picture,
    /// The request that a player receives next.
    Request,
    /// The whole input of a bot that is started afresh, without `globaldata`, which no replay keeps.
    Input,
}

impl Timeline {
    /// Opens the first game of a text of any form that [`pacman2_replay::games`] reads.
    ///
    /// A replay that differs from the rules is opened up to the first turn that differs.
    ///
    /// # Errors
    /// Fails if the text is no game, or if its map cannot be played.
    ///
    /// ```
    /// use pacman2_timeline::{Timeline, TimelineSource};
    ///
    /// assert_eq!(Timeline::open(r#"{"seed": 42}"#).unwrap().source, TimelineSource::Map);
    /// assert!(Timeline::open("hello").is_err());
    /// ```
    pub fn open(text: &str) -> Result<Timeline, TimelineError> {
        Ok(Timeline::from_game(games::read_first(text.as_bytes())?))
    }

    /// Opens a game that was read.
    #[must_use]
    pub fn from_game(game: FoundGame) -> Timeline {
        let source = match game.form {
            _ if game.replay.public.turns.is_empty() && game.form != GameForm::Replay => TimelineSource::Map,
            GameForm::MatchLog => TimelineSource::MatchLog,
            GameForm::SavedInput(_) => TimelineSource::SavedInput,
            GameForm::Link(_) => TimelineSource::Link,
            _ => TimelineSource::Replay,
        };
        Timeline::from_replay(game.replay, source)
    }

    /// Returns a timeline on the map that Botzone makes from a seed.
    ///
    /// # Errors
    /// Fails if Botzone makes no map of this size.
    pub fn generate(seed: i32, size: MapSize) -> Result<Timeline, TimelineError> {
        Ok(Timeline::from_map(Map::generate(seed, size, Ruleset::default())?))
    }

    /// Returns a timeline on a map on which nothing has been played yet.
    #[must_use]
    pub fn from_map(map: Map) -> Timeline {
        Timeline {
            source: TimelineSource::Map,
            session: Session::new(map),
            seats: BySeat::from_fn(|seat| SeatInfo::named(format!("player {seat}"))),
            limits: LimitsInfo::default(),
            turns: Vec::new(),
            private: PrivatePart::default(),
            difference: None,
        }
    }

    fn from_replay(replay: Replay, source: TimelineSource) -> Timeline {
        let Playback { session, turns, difference, .. } = replay.play_back();
        let mut private = replay.private;
        private.turns.resize(turns.len(), [const { None }; 4]);
        let (seats, limits) = (BySeat(replay.public.seats), replay.public.limits);
        Timeline { source, session, seats, limits, turns, private, difference }
    }

    /// Plays the next turn as a replay has it: an item of its public `turns`, and one of its private `turns`.
    ///
    /// # Errors
    /// Fails if the items are not of the expected form, or if the turn differs from the rules.
    pub fn push(&mut self, turn: &Value, diagnostics: &Value) -> Result<(), TimelineError> {
        let info = TurnInfo::from_json(turn)?;
        let diagnostics = pacman2_replay::read_diagnostics(diagnostics)?;
        let turn = self.turns.len() + 1;
        let played = info.play(&mut self.session).map_err(|mismatch| ReplayDifference::Turn { turn, mismatch })?;
        self.turns.push(played);
        self.private.turns.push(diagnostics);
        Ok(())
    }

    /// Plays the next turn with these actions, as Botzone's numbers. Those of dead players are ignored.
    ///
    /// # Errors
    /// Fails if a living player has no action, or if the game is over.
    pub fn play(&mut self, actions: BySeat<Option<i32>>) -> Result<(), TimelineError> {
        self.play_responses(
            &actions.map(|action| Some(ParsedResponse::Action { number: action?, taunt: None })),
            [const { None }; 4],
        )
    }

    /// Plays the next turn with these responses, which may be missing for other reasons than an illegal action. `diagnostics` is what
    /// is recorded about them.
    ///
    /// # Errors
    /// Fails if a living player has no response, or if the game is over.
    pub fn play_responses(
        &mut self,
        responses: &BySeat<Option<ParsedResponse>>,
        diagnostics: [Option<TurnDiagnostics>; 4],
    ) -> Result<(), TimelineError> {
        let alive = self.session.game().state().alive;
        if let Some(seat) = alive.iter().find(|&seat| responses[seat].is_none()) {
            return Err(TimelineError::NoAction(seat));
        }
        self.turns.push(self.session.play(responses).ok_or(TimelineError::GameOver)?);
        self.private.turns.push(diagnostics);
        Ok(())
    }

    /// Returns a new timeline with the first `turn` turns of this one, and other players.
    ///
    /// # Errors
    /// Fails if the match has no such turn.
    ///
    /// ```
    /// use pacman2_maps::MapSize;
    /// use pacman2_rules::BySeat;
    /// use pacman2_timeline::{Timeline, TimelineError, TimelineSource};
    ///
    /// let timeline = Timeline::generate(42, MapSize::default())?;
    /// let names = BySeat(["a", "b", "c", "d"].map(str::to_owned));
    /// assert_eq!(timeline.branch(0, names.clone())?.source, TimelineSource::WhatIf);
    /// assert_eq!(timeline.branch(7, names).unwrap_err().to_string(), "no turn 7: the match has turns 0 to 0");
    /// # Ok::<(), TimelineError>(())
    /// ```
    pub fn branch(&self, turn: usize, names: BySeat<String>) -> Result<Timeline, TimelineError> {
        self.state(turn)?;
        let mut branch = Timeline::from_map(self.session.map().clone());
        branch.source = TimelineSource::WhatIf;
        branch.seats = names.map(SeatInfo::named);
        for turn in &self.turns[..turn] {
            branch.session.play(&turn.responses);
        }
        branch.turns = self.turns[..turn].to_vec();
        branch.private.turns = self.private.turns[..turn].to_vec();
        Ok(branch)
    }

    /// Returns the action that a built-in bot chooses in the last position.
    ///
    /// # Errors
    /// Fails if there is no such bot, if the game is over, or if the player is dead.
    pub fn decide(&self, bot: &str, seat: Seat) -> Result<Action, TimelineError> {
        let bot: BuiltIn = bot.parse().map_err(|_| TimelineError::UnknownBot(bot.to_owned()))?;
        let game = self.session.game();
        if game.is_over() || !game.state().alive.contains(seat) {
            return Err(TimelineError::NothingToDecide(seat));
        }
        Ok((bot.decide)(game, seat, self.session.map().seed))
    }

    /// Returns the map that the match began with.
    #[must_use]
    pub fn map(&self) -> &Map {
        self.session.map()
    }

    /// Returns the number of turns that have been played.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// Returns the position after `turn` turns.
    ///
    /// # Errors
    /// Fails if the match has no such turn.
    pub fn state(&self, turn: usize) -> Result<&State, TimelineError> {
        match turn.checked_sub(1) {
            None => Ok(&self.map().start),
            Some(index) => match self.turns.get(index) {
                Some(turn) => Ok(&turn.state),
                None => Err(TimelineError::NoTurn { turn, last: self.turns.len() }),
            },
        }
    }

    /// Returns the position after `turn` turns as text. A request or an input is the one that `seat` receives then.
    ///
    /// # Errors
    /// Fails if the match has no such turn, or if the player receives no request after it.
    ///
    /// ```
    /// use pacman2_maps::MapSize;
    /// use pacman2_rules::Seat;
    /// use pacman2_timeline::{TextForm, Timeline, TimelineError};
    ///
    /// let timeline = Timeline::generate(42, MapSize { width: Some(6), height: Some(6) })?;
    /// let picture = timeline.position_text(0, TextForm::Picture, Seat::S0)?;
    /// assert_eq!(picture.lines().nth(2), Some("| 0   o     |     o   1 |"));
    /// # Ok::<(), TimelineError>(())
    /// ```
    pub fn position_text(&self, turn: usize, form: TextForm, seat: Seat) -> Result<String, TimelineError> {
        let state = self.state(turn)?;
        let Map { seed, maze, .. } = self.map();
        let is_for_player = matches!(form, TextForm::Request | TextForm::Input);
        if is_for_player && (state.is_over(maze) || !state.alive.contains(seat)) {
            return Err(TimelineError::NoRequest { seat, turn });
        }
        Ok(match form {
            TextForm::Init => {
                let start = State::start(maze, state.cells, state.small_fruits, state.large_fruits);
                init_data::write(&Map { seed: *seed, maze: maze.clone(), start }).to_string()
            }
            TextForm::Picture => picture::write(maze, state),
            TextForm::Request => self.request(turn, seat).to_string(),
            TextForm::Input => self.input(turn, seat).to_string(),
        })
    }

    /// Returns the match as a replay.
    #[must_use]
    pub fn to_replay(&self) -> Replay {
        Replay::new(self.map(), self.seats.clone(), self.limits, self.turns.iter(), self.private.clone())
    }

    /// Returns the match as a link holds it: what comes after `#g=`.
    ///
    /// # Errors
    /// Fails if the map was made by hand and init data cannot describe it.
    ///
    /// ```
    /// use pacman2_maps::MapSize;
    /// use pacman2_timeline::{Timeline, TimelineError};
    ///
    /// let timeline = Timeline::generate(42, MapSize::default())?;
    /// let link = format!("#g={}", timeline.to_link()?);
    /// assert_eq!(Timeline::open(&link)?.map(), timeline.map());
    /// # Ok::<(), TimelineError>(())
    /// ```
    pub fn to_link(&self) -> Result<String, LinkError> {
        self.to_replay().to_link()
    }

    fn request(&self, turn: usize, seat: Seat) -> Value {
        match turn.checked_sub(1) {
            None => first_request(self.map(), seat),
            Some(before) => self.turns[before].request(),
        }
    }

    fn input(&self, turn: usize, seat: Seat) -> Value {
        let response = |index: usize| {
            let response = self.diagnostics(index, seat).and_then(|diagnostics| Some(diagnostics.response.as_ref()?.to_value()));
            response.or_else(|| Some(self.turns[index].responses[seat].as_ref()?.plain())).unwrap_or(Value::Null)
        };
        let last = turn.checked_sub(1).and_then(|index| self.diagnostics(index, seat));
        let factor = u64::from(self.seats[seat].time_factor.unwrap_or(1));
        let [time_limit, memory_limit] = limits(self.limits.time_ms.map(|ms| ms * factor), self.limits.memory_mb);
        json!({
            "requests": (0..=turn).map(|turn| self.request(turn, seat)).collect::<Vec<_>>(),
            "responses": (0..turn).map(response).collect::<Vec<_>>(),
            "data": last.map_or(Value::from(""), |diagnostics| diagnostics.data.to_value()),
            "globaldata": "",
            "time_limit": time_limit,
            "memory_limit": memory_limit,
        })
    }

    /// Returns the diagnostics of a turn; `index` counts from 0.
    fn diagnostics(&self, index: usize, seat: Seat) -> Option<&TurnDiagnostics> {
        self.private.turns.get(index)?[seat.index()].as_ref()
    }
}
