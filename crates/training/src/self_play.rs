//! One game of self-play.

use pacman2_bots::BuiltIn;
use pacman2_bots::sage::{RootAction, Sage, SearchResult};
use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

use crate::league::{League, LeaguePlayer};
use crate::record::{GameRecord, RecordedTurn, begin};
use crate::{below, chance};

/// In so many turns at the beginning, orders are drawn by how often the search tried them, so that games differ.
const DRAWN_TURNS: u32 = 6;
/// Later, one order in so many is.
const DRAWN_LATER: u32 = 25;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay<'a> {
    /// Who may sit there.
    pub league: &'a League,
    /// How many simulations a search has.
    pub simulations: u32,
    /// The seed of all chance but the maps'.
    pub seed: u32,
}

/// Somebody at the table.
struct Guest {
    player: LeaguePlayer,
    sage: Option<Sage>,
}

impl SelfPlay<'_> {
    /// Plays the game on Botzone's map of this seed; `None` if `goes_on` said no before its end.
    pub fn play(&self, map: i32, goes_on: impl Fn() -> bool) -> Result<Option<GameRecord>, MapError> {
        let mut game = begin(map)?;
        let mut random = chance(self.seed, map as u32);
        let players = self.league.seating(&mut random);
        let mut guests = self.guests(&players);
        let mut turns = Vec::new();
        while !game.is_over() {
            match self.turn(&game, &players, &mut guests, &mut random, &goes_on) {
                Some(turn) => {
                    game.play(&turn.actions);
                    turns.push(turn);
                }
                None => return Ok(None),
            }
        }
        Ok(Some(GameRecord { seed: map, players, turns, end: game.state().fingerprint() }))
    }

    /// Who sits where in the game on this map.
    pub fn seating(&self, map: i32) -> BySeat<LeaguePlayer> {
        self.league.seating(&mut chance(self.seed, map as u32))
    }

    /// Everybody once, the newest first. One search of all four seats serves all seats that the same player has.
    fn guests(&self, players: &BySeat<LeaguePlayer>) -> Vec<Guest> {
        let newest = self.league.newest();
        let mut guests = vec![Guest { player: newest, sage: self.league.sage(newest, self.simulations) }];
        for &player in &players.0 {
            if guests.iter().all(|guest| guest.player != player) {
                guests.push(Guest { player, sage: self.league.sage(player, self.simulations) });
            }
        }
        guests
    }

    fn turn(
        &self,
        game: &Game,
        players: &BySeat<LeaguePlayer>,
        guests: &mut [Guest],
        random: &mut Xoshiro256PlusPlus,
        goes_on: &impl Fn() -> bool,
    ) -> Option<RecordedTurn> {
        let seed = below(random, 1 << 31) as i32;
        let alive = game.state().alive;
        let mut actions = BySeat([Action::Stay; 4]);
        let mut points = [0.0; 4];
        for (number, guest) in guests.iter_mut().enumerate() {
            let own = || alive.iter().filter(|&seat| players[seat] == guest.player);
            // The newest always thinks: what it expects is what is learned from.
            if number > 0 && own().next().is_none() {
                continue;
            }
            let Some(sage) = &mut guest.sage else {
                own().for_each(|seat| actions[seat] = at_once(guest.player)(game, seat, seed));
                continue;
            };
            let thought = sage.think(game, None, seed, Instant::now(), goes_on);
            if !goes_on() {
                return None;
            }
            if number == 0 {
                points = thought.points.0;
            }
            own().for_each(|seat| actions[seat] = chosen(&thought, game.state().turn, seat, random));
        }
        Some(RecordedTurn { actions, hundredths: points.map(|points| (points * 100.0).round() as u32) })
    }
}

pub(crate) fn at_once(player: LeaguePlayer) -> pacman2_bots::BotFn {
    let name = if player == LeaguePlayer::Hunter { "hunter" } else { "greedy" };
    match BuiltIn::named(name) {
        Some(bot) => bot.decide,
        None => unreachable!("{name} is built in"),
    }
}

fn chosen(thought: &SearchResult, turn: u32, seat: Seat, random: &mut Xoshiro256PlusPlus) -> Action {
    let options = &thought.options[seat];
    let is_drawn = turn < DRAWN_TURNS || below(random, DRAWN_LATER) == 0;
    let option = if is_drawn { drawn(options, random) } else { options.iter().max_by_key(|option| option.visits) };
    option.map_or(Action::Stay, |option| option.action)
}

/// An option, each as likely as it was tried.
fn drawn<'a>(options: &'a [RootAction], random: &mut Xoshiro256PlusPlus) -> Option<&'a RootAction> {
    let mut rest = below(random, options.iter().map(|option| option.visits).sum());
    options.iter().find(|option| match rest.checked_sub(option.visits) {
        Some(less) => {
            rest = less;
            false
        }
        None => true,
    })
}
