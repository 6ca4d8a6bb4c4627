//! The rules that differ between games: five numbers, in one table, and one ruling.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Defines [`Ruleset`] and [`Setting`] from one table. Readers and writers loop over [`Setting::ALL`], so a new setting is a
/// new row here and the step of a turn that uses it.
macro_rules! settings {
    ($(
        $(#[doc = $description:literal])+
        $variant:ident = { $field:ident: $type:ty = $default:literal, at_least: $least:literal, json_key: $json_key:literal }
    )+) => {
        /// The rules of one game. The default is [`Ruleset::BOTZONE`].
        ///
        /// A field may hold any value; [`Maze::new`](crate::Maze::new) rejects those out of [range](Setting::range).
        ///
        /// ```
        /// use pacman2_rules::{ForfeitRuling, Ruleset};
        ///
        /// let ruleset = Ruleset { turn_limit: 50, ..Ruleset::default() };
        /// assert_eq!((ruleset.skill_cost, ruleset.forfeit_ruling), (4, ForfeitRuling::Sample));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct Ruleset {
            $($(#[doc = $description])+ pub $field: $type,)+
            /// Whether light hits a player that forfeits this turn.
            pub forfeit_ruling: ForfeitRuling,
        }

        impl Ruleset {
            /// Botzone's settings, with the forfeit ruling of the wiki's sample program.
            pub const BOTZONE: Ruleset = Ruleset { $($field: $default,)+ forfeit_ruling: ForfeitRuling::Sample };

            /// Returns the value of a setting.
            ///
            /// ```
            /// use pacman2_rules::{Ruleset, Setting};
            ///
            /// assert_eq!(Ruleset::default().get(Setting::TurnLimit), 100);
            /// ```
            #[must_use]
            pub const fn get(&self, setting: Setting) -> i64 {
                match setting { $(Setting::$variant => self.$field as i64,)+ }
            }

            /// `value` must be in range.
            const fn set(&mut self, setting: Setting, value: i64) {
                match setting { $(Setting::$variant => self.$field = value as $type,)+ }
            }
        }

        /// One number of a [`Ruleset`], under all the names that it has.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Setting {
            $($(#[doc = $description])+ $variant,)+
        }

        impl Setting {
            /// All settings. Binary formats store them in this order.
            pub const ALL: [Setting; Setting::COUNT] = [$(Setting::$variant,)+];

            /// The number of settings.
            pub const COUNT: usize = [$($least,)+].len();

            /// Returns the name of the field of [`Ruleset`].
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Setting::$variant => stringify!($field),)+ }
            }

            /// Returns the key in init data.
            ///
            /// ```
            /// use pacman2_rules::Setting;
            ///
            /// let keys = Setting::ALL.map(Setting::json_key);
            /// assert_eq!(keys[0], "GENERATOR_INTERVAL");
            /// ```
            #[must_use]
            pub const fn json_key(self) -> &'static str {
                match self { $(Setting::$variant => $json_key,)+ }
            }

            /// Returns the description of the field of [`Ruleset`], one sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Setting::$variant => concat!($($description),+).trim_ascii(),)+ }
            }

            const fn least(self) -> i64 {
                match self { $(Setting::$variant => $least,)+ }
            }
        }
    };
}

settings! {
    /// Turns from one spawn of fruit to the next.
    GeneratorInterval = { generator_interval: u32 = 20, at_least: 1, json_key: "GENERATOR_INTERVAL" }
    /// Turns that a large fruit's boost lasts, the turn of eating included.
    LargeFruitDuration = { large_fruit_duration: u32 = 10, at_least: 0, json_key: "LARGE_FRUIT_DURATION" }
    /// Strength that a large fruit's boost adds.
    LargeFruitEnhancement = { large_fruit_enhancement: i32 = 10, at_least: 0, json_key: "LARGE_FRUIT_ENHANCEMENT" }
    /// Strength that a shot costs; a hit takes one and a half times as much.
    SkillCost = { skill_cost: i32 = 4, at_least: 0, json_key: "SKILL_COST" }
    /// The number of turns after which the game ends.
    TurnLimit = { turn_limit: u32 = 100, at_least: 1, json_key: "MAX_TURN" }
}

impl Default for Ruleset {
    fn default() -> Ruleset {
        Ruleset::BOTZONE
    }
}

impl Ruleset {
    /// The largest value of each setting: large enough for any game, small enough that strengths fit an `i32`.
    pub const MAX: u32 = 10_000;

    /// Returns the same rules with another value of one setting.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is out of the setting's [range](Setting::range).
    ///
    /// ```
    /// use pacman2_rules::{Ruleset, Setting};
    ///
    /// let ruleset = Ruleset::default().with(Setting::SkillCost, 5).unwrap();
    /// assert_eq!(ruleset.skill_cost, 5);
    ///
    /// let error = ruleset.with(Setting::TurnLimit, 0).unwrap_err();
    /// assert_eq!(error.to_string(), "turn_limit must be between 1 and 10000, got 0");
    /// ```
    pub fn with(mut self, setting: Setting, value: i64) -> Result<Ruleset, RulesetError> {
        if !setting.range().contains(&value) {
            return Err(RulesetError { setting, value });
        }
        self.set(setting, value);
        Ok(self)
    }

    /// Returns the same rules with another forfeit ruling.
    ///
    /// ```
    /// use pacman2_rules::{ForfeitRuling, Ruleset};
    ///
    /// let ruleset = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
    /// assert_eq!(ruleset.forfeit_ruling, ForfeitRuling::Judge);
    /// ```
    #[must_use]
    pub const fn with_forfeit_ruling(self, forfeit_ruling: ForfeitRuling) -> Ruleset {
        Ruleset { forfeit_ruling, ..self }
    }

    /// Returns all settings with their values.
    ///
    /// ```
    /// use pacman2_rules::Ruleset;
    ///
    /// for (setting, value) in Ruleset::default().iter() {
    ///     println!("{:24} {value:3}  {}", setting.name(), setting.description());
    /// }
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Setting, i64)> + use<> {
        let ruleset = *self;
        Setting::ALL.into_iter().map(move |setting| (setting, ruleset.get(setting)))
    }

    /// Returns an error for each setting whose value is out of range.
    pub(crate) fn errors(&self) -> impl Iterator<Item = RulesetError> + use<> {
        let out_of_range = |&(setting, value): &(Setting, i64)| !setting.range().contains(&value);
        self.iter().filter(out_of_range).map(|(setting, value)| RulesetError { setting, value })
    }
}

impl Setting {
    /// Returns the place in [`Setting::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the values that a game can have.
    ///
    /// ```
    /// use pacman2_rules::Setting;
    ///
    /// assert_eq!(Setting::GeneratorInterval.range(), 1..=10_000);
    /// ```
    #[must_use]
    pub const fn range(self) -> RangeInclusive<i64> {
        RangeInclusive::new(self.least(), Ruleset::MAX as i64)
    }

    /// Returns whether the key in init data is this project's and unknown to Botzone.
    #[must_use]
    pub const fn is_extension(self) -> bool {
        use Setting::{GeneratorInterval, LargeFruitDuration, LargeFruitEnhancement, SkillCost};
        !matches!(self, GeneratorInterval | LargeFruitDuration | LargeFruitEnhancement | SkillCost)
    }
}

/// A setting whose value is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RulesetError {
    /// The setting.
    pub setting: Setting,
    /// The rejected value.
    pub value: i64,
}

impl fmt::Display for RulesetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = self.setting.range();
        write!(f, "{} must be between {} and {}, got {}", self.setting.name(), range.start(), range.end(), self.value)
    }
}

impl std::error::Error for RulesetError {}

/// Whether light hits a player in the very turn in which it forfeits by an illegal action.
///
/// It is the one rule of a game's course in which the wiki's sample program, Botzone's judge and the wiki's prose differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ForfeitRuling {
    /// Never: the player leaves the board at once.
    #[default]
    Sample,
    /// Only if a living player stands in its cell; its strength then stays negative and counts in total and ranking.
    Judge,
    /// Wherever it last stood; its strength is then set to 0.
    Prose,
}

impl ForfeitRuling {
    /// All rulings. Binary formats store the place in this array.
    pub const ALL: [ForfeitRuling; 3] = [ForfeitRuling::Sample, ForfeitRuling::Judge, ForfeitRuling::Prose];

    /// Returns the name: `sample`, `judge` or `prose`. [`FromStr`] reads it.
    ///
    /// ```
    /// use pacman2_rules::ForfeitRuling;
    ///
    /// assert_eq!(ForfeitRuling::Judge.name(), "judge");
    /// assert_eq!("judge".parse(), Ok(ForfeitRuling::Judge));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ForfeitRuling::Sample => "sample",
            ForfeitRuling::Judge => "judge",
            ForfeitRuling::Prose => "prose",
        }
    }

    /// Returns the place in [`ForfeitRuling::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ForfeitRuling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ForfeitRuling {
    type Err = ParseForfeitRulingError;

    fn from_str(name: &str) -> Result<ForfeitRuling, ParseForfeitRulingError> {
        let named = |ruling: &ForfeitRuling| ruling.name() == name;
        ForfeitRuling::ALL.into_iter().find(named).ok_or_else(|| ParseForfeitRulingError(name.to_owned()))
    }
}

/// A text that names no [`ForfeitRuling`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseForfeitRulingError(String);

impl fmt::Display for ParseForfeitRulingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown ruling \"{}\"; expected sample, judge or prose", self.0)
    }
}

impl std::error::Error for ParseForfeitRulingError {}
