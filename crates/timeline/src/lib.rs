//! A match as a viewer sees it: a head, which tells all that does not change, and a frame for each position with what
//! happened on the way to it. Everything that a page draws or says of a match comes from here, and here from the rules.
//!
//! - [`Film`]: opened, grown turn by turn, branched off, saved;
//! - [`show`]: its head, frames and positions as JSON, in the shapes of `crates/web/viewer/types.d.ts`;
//! - [`projector`]: many films behind one door of JSON, which is what a page holds;
//! - [`animation`]: frames that a page has drawn, as an animated GIF.
//!
//! The page runs this crate as WebAssembly (`cargo xtask viewer` makes it).

pub mod animation;
pub mod show;
pub mod timelines;
#[cfg(target_family = "wasm")]
pub mod wasm;

use std::fmt;

use pacman2_bots::BuiltIn;
use pacman2_botzone::init_data;
use pacman2_botzone::match_log::MatchLog;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn, first_request};
use pacman2_maps::{Map, MapSize};
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo, TurnDiagnostics, TurnInfo, plain_response};
use pacman2_rules::{Action, BySeat, Ruleset, Seat, State, picture};
use serde_json::{Value, json};

/// A match, played again as far as it goes.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What it was opened from.
    pub source: TimelineSource,
    table: Session,
    seats: BySeat<SeatInfo>,
    limits: LimitsInfo,
    turns: Vec<SessionTurn>,
    private: PrivatePart,
    /// What is wrong with what was opened, though it can be shown as far as it goes.
    complaint: Option<String>,
}

/// What a film was opened from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimelineSource {
    /// A replay.
    Replay,
    /// One of Botzone's match logs.
    MatchLog,
    /// A map, on which nothing has been played yet.
    Map,
    /// Another film that is played on differently.
    WhatIf,
}

/// Why something cannot be opened, played or told, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimelineError(pub String);

impl fmt::Display for TimelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TimelineError {}

fn refuse<T>(reason: impl fmt::Display) -> Result<T, TimelineError> {
    Err(TimelineError(reason.to_string()))
}

/// The forms in which a position can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextForm {
    /// Init data. It knows neither strengths nor boosts nor the dead: all four live, with strength 1.
    Init,
    /// A picture, with everything.
    Picture,
    /// What a player is asked with.
    Request,
    /// All that a bot's program is given on its standard input when it is started afresh; but for `globaldata`, which no
    /// replay keeps.
    Input,
}

impl Timeline {
    /// Opens a replay, a match log or init data.
    pub fn open(text: &str) -> Result<Timeline, TimelineError> {
        let value: Value = serde_json::from_str(text).or_else(|error| refuse(format!("this is not JSON: {error}")))?;
        if MatchLog::recognises(&value) {
            let log = MatchLog::read_by_any_ruling(&value).or_else(refuse)?;
            return Timeline::of_replay(&Replay::from_match_log(&log), TimelineSource::MatchLog);
        }
        if value.get("format").is_some() {
            return Timeline::of_replay(&Replay::from_json(&value).or_else(refuse)?, TimelineSource::Replay);
        }
        if ["seed", "static", "width"].iter().all(|&key| value.get(key).is_none()) {
            return refuse("this is neither a replay nor a match log of Botzone's nor init data");
        }
        let (map, _) = init_data::read(&value, 0, Ruleset::default()).or_else(refuse)?;
        Ok(Timeline::of_map(map))
    }

    /// Botzone's map of a seed.
    pub fn generate(seed: i32, size: MapSize) -> Result<Timeline, TimelineError> {
        Map::generate(seed, size, Ruleset::default()).map(Timeline::of_map).or_else(refuse)
    }

    /// A map on which nothing has been played yet.
    pub fn of_map(map: Map) -> Timeline {
        Timeline {
            source: TimelineSource::Map,
            table: Session::new(map),
            seats: BySeat::from_fn(|seat| SeatInfo::named(format!("player {seat}"))),
            limits: LimitsInfo::default(),
            turns: Vec::new(),
            private: PrivatePart::default(),
            complaint: None,
        }
    }

    fn of_replay(replay: &Replay, source: TimelineSource) -> Result<Timeline, TimelineError> {
        let (table, turns, difference) = replay.follow().or_else(refuse)?;
        let mut private = replay.private.clone();
        private.turns.resize(turns.len(), [const { None }; 4]);
        let seats = BySeat(replay.public.seats.clone());
        let complaint = difference.map(|difference| difference.to_string());
        Ok(Timeline { source, table, seats, limits: replay.public.limits, turns, private, complaint })
    }

    /// Plays the next turn as it stands in a replay: its public and its private line.
    pub fn push(&mut self, turn: &Value, backstage: &Value) -> Result<(), TimelineError> {
        let turn = TurnInfo::from_json(turn).or_else(refuse)?;
        let backstage = pacman2_replay::read_diagnostics(backstage).or_else(refuse)?;
        match turn.play(&mut self.table) {
            Ok(turn) => self.turns.push(turn),
            Err(what) => return refuse(format!("turn {} differs: {what}", self.turns.len() + 1)),
        }
        self.private.turns.push(backstage);
        Ok(())
    }

    /// Plays the next turn with these actions, Botzone's numbers; what is said for the dead is not heard.
    pub fn play(&mut self, actions: BySeat<Option<i32>>) -> Result<(), TimelineError> {
        let alive = self.table.game().state().alive;
        if let Some(seat) = alive.iter().find(|&seat| actions[seat].is_none()) {
            return refuse(format!("player {seat} is alive and has no action"));
        }
        let heard = actions.map(|action| Some(ParsedResponse::Action { number: action?, taunt: None }));
        let Some(turn) = self.table.play(&heard) else { return refuse("the game is over") };
        self.turns.push(turn);
        self.private.turns.push([const { None }; 4]);
        Ok(())
    }

    /// A film of its own with the first `turn` turns of this one, and other players.
    pub fn branch(&self, turn: usize, names: BySeat<String>) -> Result<Timeline, TimelineError> {
        self.state(turn)?;
        let mut branch = Timeline::of_map(self.table.map().clone());
        branch.source = TimelineSource::WhatIf;
        branch.seats = names.map(SeatInfo::named);
        for turn in &self.turns[..turn] {
            branch.table.play(&turn.heard);
        }
        branch.turns = self.turns[..turn].to_vec();
        branch.private.turns = self.private.turns[..turn].to_vec();
        Ok(branch)
    }

    /// What a built-in bot does in the last position.
    pub fn decide(&self, bot: &str, seat: Seat) -> Result<Action, TimelineError> {
        let Some(bot) = BuiltIn::named(bot) else { return refuse(format!("there is no built-in bot \"{bot}\"")) };
        let game = self.table.game();
        if game.is_over() || !game.state().alive.contains(seat) {
            return refuse(format!("player {seat} has nothing to decide"));
        }
        Ok((bot.decide)(game, seat, self.table.map().seed))
    }

    /// The map that it began with.
    pub fn map(&self) -> &Map {
        self.table.map()
    }

    /// How many turns have been played.
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// The position after so many turns.
    pub fn state(&self, turn: usize) -> Result<&State, TimelineError> {
        match turn.checked_sub(1) {
            None => Ok(&self.map().start),
            Some(before) if before < self.turns.len() => Ok(&self.turns[before].state),
            Some(_) => refuse(format!("turn {turn}: the match has turns 0 to {}", self.turns.len())),
        }
    }

    /// The position after so many turns, as text; a seat's request or input is that of the turn which follows.
    pub fn position_text(&self, turn: usize, telling: TextForm, seat: Seat) -> Result<String, TimelineError> {
        let state = self.state(turn)?;
        let Map { seed, maze, .. } = self.map();
        let asks = matches!(telling, TextForm::Request | TextForm::Input);
        if asks && (state.is_over(maze) || !state.alive.contains(seat)) {
            return refuse(format!("player {seat} is asked nothing after turn {turn}"));
        }
        Ok(match telling {
            TextForm::Init => {
                let start = State::start(maze, state.cells, state.small_fruits, state.large_fruits);
                init_data::write(&Map { seed: *seed, maze: maze.clone(), start }).to_string()
            }
            TextForm::Picture => picture::write(maze, state),
            TextForm::Request => self.request(turn, seat).to_string(),
            TextForm::Input => self.input(turn, seat).to_string(),
        })
    }

    fn request(&self, turn: usize, seat: Seat) -> Value {
        match turn.checked_sub(1) {
            None => first_request(self.map(), seat),
            Some(before) => self.turns[before].request(),
        }
    }

    fn input(&self, turn: usize, seat: Seat) -> Value {
        let response = |number: usize| {
            let given = self.backstage(number, seat).and_then(|backstage| backstage.response.clone());
            given.or_else(|| Some(plain_response(self.turns[number].heard[seat].as_ref()?))).unwrap_or(Value::Null)
        };
        let stored = turn.checked_sub(1).and_then(|before| self.backstage(before, seat));
        json!({
            "requests": (0..=turn).map(|turn| self.request(turn, seat)).collect::<Vec<_>>(),
            "responses": (0..turn).map(response).collect::<Vec<_>>(),
            "data": stored.map_or("", |backstage| &backstage.data),
            "globaldata": "",
        })
    }

    fn backstage(&self, number: usize, seat: Seat) -> Option<&TurnDiagnostics> {
        self.private.turns.get(number)?[seat.index()].as_ref()
    }

    /// The film as a replay.
    pub fn to_replay(&self) -> Replay {
        Replay::new(self.map(), self.seats.clone(), self.limits, self.turns.iter(), self.private.clone())
    }
}
