//! A built-in bot as somebody wants it: how much it thinks, and without which of its parts. It sits down as a mind, which
//! keeps what it learns as long as it sits.

use std::fmt;
use std::sync::Arc;

use pacman2_rules::{Action, Game, Seat};

use crate::net::Net;
use crate::sage::{Component, DEFAULT_TIME, SAGE, Sage};
use crate::sample::{self, SAMPLE};
use crate::{BuiltIn, Effort};

/// Somebody who sits at a table for a match: asked each turn like a [`Bot`](crate::Bot), it keeps what it learned.
pub type Agent = Box<dyn FnMut(&Game, Seat, i32) -> Action + Send>;

/// A built-in bot as somebody wants it.
#[derive(Clone)]
pub struct BotConfig {
    built_in: BuiltIn,
    effort: Option<Effort>,
    without: Vec<Component>,
    net: Option<Arc<Net>>,
}

/// Why a built-in bot cannot be had like that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotConfigError {
    /// It has no simulations that could be counted or timed.
    DoesNotSimulate {
        /// Its name.
        name: &'static str,
    },
    /// It has no search whose parts could be left out or exchanged.
    DoesNotSearch {
        /// Its name.
        name: &'static str,
    },
}

impl BotConfig {
    /// The bot as it is by itself.
    pub fn new(built_in: BuiltIn) -> BotConfig {
        BotConfig { built_in, effort: None, without: Vec::new(), net: None }
    }

    /// The same, thinking so much in a turn.
    pub fn with_effort(self, effort: Effort) -> Result<BotConfig, BotConfigError> {
        let name = self.built_in.name;
        if ![SAMPLE.name, SAGE.name].contains(&name) {
            return Err(BotConfigError::DoesNotSimulate { name });
        }
        Ok(BotConfig { effort: Some(effort), ..self })
    }

    /// The same without a part of its search.
    pub fn without(mut self, part: Component) -> Result<BotConfig, BotConfigError> {
        self.check_searches()?;
        if !self.without.contains(&part) {
            self.without.push(part);
        }
        Ok(self)
    }

    /// The same with another net.
    pub fn with_net(self, net: Arc<Net>) -> Result<BotConfig, BotConfigError> {
        self.check_searches()?;
        Ok(BotConfig { net: Some(net), ..self })
    }

    pub(crate) fn check_searches(&self) -> Result<(), BotConfigError> {
        let name = self.built_in.name;
        if name == SAGE.name { Ok(()) } else { Err(BotConfigError::DoesNotSearch { name }) }
    }

    /// The bot that it is.
    pub fn built_in(&self) -> BuiltIn {
        self.built_in
    }

    /// Sits down for a match.
    pub fn start(&self) -> Agent {
        if self.built_in.name == SAGE.name {
            let mut sage = self.sage();
            return Box::new(move |game, seat, seed| sage.decide(game, seat, seed));
        }
        match self.effort {
            Some(effort) => Box::new(move |game, seat, seed| sample::decide_within(game, seat, seed, effort)),
            None => Box::new(self.built_in.decide),
        }
    }

    fn sage(&self) -> Sage {
        let sage = Sage::new(self.effort.unwrap_or(Effort::Time(DEFAULT_TIME)));
        let sage = self.without.iter().fold(sage, |sage, &part| sage.without(part));
        self.net.iter().fold(sage, |sage, net| sage.with_net(Arc::clone(net)))
    }
}

impl fmt::Display for BotConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotConfigError::DoesNotSimulate { name } => {
                write!(f, "{name} does not simulate: it takes neither --simulations nor --time")
            }
            BotConfigError::DoesNotSearch { name } => {
                write!(f, "{name} does not search: only {} takes --without and --net", SAGE.name)
            }
        }
    }
}

impl std::error::Error for BotConfigError {}
