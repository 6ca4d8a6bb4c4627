//! One match: four players, a referee, and the record of what happened.
//!
//! - [`player`]: who the referee asks, a program or code in this process;
//! - [`cause`]: what is behind a fault, where it can be seen;
//! - [`complaint`]: what can be wrong with an answer;
//! - [`referee`]: the match, turn by turn;
//! - [`record`]: the replay of a match;
//! - [`rerun`]: the questions of a recorded match, asked again.
//!
//! [`pacman2_runner`] runs and confines the programs.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use pacman2_botzone::bot::{BotReply, BotView};
//! use pacman2_maps::{Map, MapSize};
//! use pacman2_match::player::InProcess;
//! use pacman2_match::referee::{self, AskMode, Players};
//! use pacman2_rules::{BySeat, Ruleset};
//!
//! let map = Map::generate(7, MapSize::default(), Ruleset::default())?;
//! let first_legal = |view: &BotView<'_>| {
//!     BotReply::action(view.game.state().legal_actions(view.game.maze(), view.seat)[0])
//! };
//! let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(first_legal, String::new())) as _);
//! let turns = referee::play(map, &mut players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| ()).unwrap();
//! let scores = turns.last().unwrap().turn.scores.expect("the match is over");
//! println!("{:?}", scores.map(|score| score.points()));
//! # Ok::<(), pacman2_maps::MapError>(())
//! ```

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod cause;
pub mod complaint;
mod excerpt;
pub mod player;
pub mod problem;
pub mod record;
pub mod referee;
pub mod rerun;
