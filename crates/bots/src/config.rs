//! Built-in bots with options.

use std::sync::Arc;

use crate::built_in::{Agent, BuiltIn, Effort, Method};
use crate::net::Net;
use crate::sage::{Component, DEFAULT_TIME, Sage};
use crate::sample;
use crate::style::Style;

/// A built-in bot with options.
///
/// ```
/// use pacman2_bots::{BotConfig, BotConfigError, Effort};
///
/// let [sage, greedy] = ["sage", "greedy"].map(|name| BotConfig::new(name.parse().unwrap()));
/// assert!(sage.with_effort(Effort::Simulations(100)).is_ok());
/// let error = greedy.with_effort(Effort::Simulations(100)).err();
/// assert_eq!(error, Some(BotConfigError::DoesNotSimulate { name: "greedy" }));
/// ```
#[derive(Clone)]
pub struct BotConfig {
    built_in: BuiltIn,
    effort: Option<Effort>,
    without: Vec<Component>,
    net: Option<Arc<Net>>,
    threads: usize,
    style: Option<&'static Style>,
}

/// An option that a built-in bot does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotConfigError {
    /// The bot does not simulate, so it takes no [`Effort`].
    #[error("{name} does not simulate: it takes neither a number of simulations nor a time")]
    DoesNotSimulate {
        /// The bot's name.
        name: &'static str,
    },
    /// The bot does not search, so it has no components, net or threads.
    #[error("{name} does not search: it has no components to leave out, no net and no threads")]
    DoesNotSearch {
        /// The bot's name.
        name: &'static str,
    },
    /// The bot has no styles.
    #[error("{name} has no styles: only style takes the name of one")]
    NoStyles {
        /// The bot's name.
        name: &'static str,
    },
    /// The bot needs the name of a style.
    #[error("expected the name of a style, such as \"style sniper\"")]
    StyleMissing,
}

impl BotConfig {
    /// Creates a bot without options.
    #[must_use]
    pub fn new(built_in: BuiltIn) -> BotConfig {
        BotConfig { built_in, effort: None, without: Vec::new(), net: None, threads: 1, style: None }
    }

    /// Returns the bot with this effort per turn.
    ///
    /// # Errors
    ///
    /// If the bot does not simulate.
    pub fn with_effort(self, effort: Effort) -> Result<BotConfig, BotConfigError> {
        if matches!(self.built_in.method, Method::Direct | Method::Style) {
            return Err(BotConfigError::DoesNotSimulate { name: self.built_in.name });
        }
        Ok(BotConfig { effort: Some(effort), ..self })
    }

    /// Returns the bot without a component of its search.
    ///
    /// # Errors
    ///
    /// If the bot does not search.
    pub fn without(mut self, component: Component) -> Result<BotConfig, BotConfigError> {
        self.check_searches()?;
        if !self.without.contains(&component) {
            self.without.push(component);
        }
        Ok(self)
    }

    /// Returns the bot with another net.
    ///
    /// # Errors
    ///
    /// If the bot does not search.
    pub fn with_net(self, net: Arc<Net>) -> Result<BotConfig, BotConfigError> {
        self.check_searches()?;
        Ok(BotConfig { net: Some(net), ..self })
    }

    /// Returns the bot with this number of threads (see [`Sage::with_threads`]).
    ///
    /// # Errors
    ///
    /// If the bot does not search.
    ///
    /// # Panics
    ///
    /// If the number is not in [`Sage::THREADS`].
    pub fn with_threads(self, threads: usize) -> Result<BotConfig, BotConfigError> {
        assert!(Sage::THREADS.contains(&threads), "{threads} threads");
        self.check_searches()?;
        Ok(BotConfig { threads, ..self })
    }

    /// Returns the bot with this style.
    ///
    /// # Errors
    ///
    /// If the bot takes no style.
    pub fn with_style(self, style: &'static Style) -> Result<BotConfig, BotConfigError> {
        let BuiltIn { name, method, .. } = self.built_in;
        if method == Method::Style {
            Ok(BotConfig { style: Some(style), ..self })
        } else {
            Err(BotConfigError::NoStyles { name })
        }
    }

    pub(crate) fn check_searches(&self) -> Result<(), BotConfigError> {
        let BuiltIn { name, method, .. } = self.built_in;
        if method == Method::Search { Ok(()) } else { Err(BotConfigError::DoesNotSearch { name }) }
    }

    /// Returns the bot without its options.
    #[must_use]
    pub fn built_in(&self) -> BuiltIn {
        self.built_in
    }

    /// Starts a match.
    #[must_use]
    pub fn start(&self) -> Agent {
        if let Some(mut sage) = self.start_search() {
            return Box::new(move |game, seat, seed| sage.decide(game, seat, seed));
        }
        if let Some(style) = self.style {
            return style.start();
        }
        match self.effort {
            Some(effort) => Box::new(move |game, seat, seed| sample::decide_within(game, seat, seed, effort)),
            None => Box::new(self.built_in.decide),
        }
    }

    /// Starts a match of a bot that searches, which can also report what it finds; `None` for other bots.
    ///
    /// ```
    /// use pacman2_bots::BotConfig;
    ///
    /// let starts = |name: &str| BotConfig::new(name.parse().unwrap()).start_search().is_some();
    /// assert!(starts("sage") && !starts("greedy"));
    /// ```
    #[must_use]
    pub fn start_search(&self) -> Option<Sage> {
        (self.built_in.method == Method::Search).then(|| self.sage())
    }

    fn sage(&self) -> Sage {
        let sage = Sage::new(self.effort.unwrap_or(Effort::Time(DEFAULT_TIME))).with_threads(self.threads);
        let sage = self.without.iter().fold(sage, |sage, &component| sage.without(component));
        self.net.iter().fold(sage, |sage, net| sage.with_net(Arc::clone(net)))
    }
}
