//! Self-play games.

use pacman2_bots::sage::{RootAction, SearchResult};
use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::league::{Entrant, League};
use crate::league_player::LeaguePlayer;
use crate::record::{GameRecord, RecordedTurn, begin};
use crate::{below, draw, part_rng};

/// In the first turns, actions are sampled by their visits in the search, so that games differ.
const SAMPLED_TURNS: u32 = 6;
/// Later, one action in this many is sampled.
const SAMPLED_LATER: u32 = 25;

/// The settings of self-play games.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay<'a> {
    /// The players.
    pub league: &'a League,
    /// Simulations per search.
    pub simulations: u32,
    /// The seed of everything random except the maps.
    pub seed: u32,
}

impl SelfPlay<'_> {
    /// Plays the game on Botzone's map of this seed. Returns `None` if `goes_on` returned false before the end.
    ///
    /// # Errors
    ///
    /// If Botzone makes no map from this seed.
    ///
    /// ```
    /// use pacman2_training::{League, SelfPlay};
    ///
    /// let self_play = SelfPlay { league: &League::new(Vec::new()), simulations: 2, seed: 1 };
    /// let record = self_play.play(7, || true)?.expect("not interrupted");
    /// assert_eq!(record.samples(0.7).expect("a real game").len(), record.turns.len());
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    pub fn play(&self, map: i32, goes_on: impl Fn() -> bool) -> Result<Option<GameRecord>, MapError> {
        let mut game = begin(map)?;
        let mut rng = part_rng(self.seed, map as u32);
        let players = self.league.seating(&mut rng);
        let mut entrants = self.entrants(&players);
        let mut turns = Vec::new();
        while !game.is_over() {
            match self.turn(&game, &players, &mut entrants, &mut rng, &goes_on) {
                Some(turn) => {
                    game.play(&turn.actions);
                    turns.push(turn);
                }
                None => return Ok(None),
            }
        }
        Ok(Some(GameRecord { seed: map, players, turns, end: game.state().fingerprint() }))
    }

    /// Returns the players of the game on this map by seat.
    #[must_use]
    pub fn seating(&self, map: i32) -> BySeat<LeaguePlayer> {
        self.league.seating(&mut part_rng(self.seed, map as u32))
    }

    /// Returns each player once, the newest first. One search serves all seats of the same player.
    fn entrants(&self, players: &BySeat<LeaguePlayer>) -> Vec<(LeaguePlayer, Entrant)> {
        let mut distinct = vec![self.league.newest()];
        for &player in &players.0 {
            if !distinct.contains(&player) {
                distinct.push(player);
            }
        }
        distinct.into_iter().map(|player| (player, self.league.start(player, self.simulations))).collect()
    }

    fn turn(
        &self,
        game: &Game,
        players: &BySeat<LeaguePlayer>,
        entrants: &mut [(LeaguePlayer, Entrant)],
        rng: &mut Xoshiro256PlusPlus,
        goes_on: &impl Fn() -> bool,
    ) -> Option<RecordedTurn> {
        let seed = below(rng, 1 << 31) as i32;
        let alive = game.state().alive;
        let mut actions = BySeat([Action::Stay; 4]);
        let mut points = [0.0; 4];
        for (number, (player, entrant)) in entrants.iter_mut().enumerate() {
            let own = || alive.iter().filter(|&seat| players[seat] == *player);
            // The newest player always searches, because its expectation is the target of training.
            if number > 0 && own().next().is_none() {
                continue;
            }
            let sage = match entrant {
                Entrant::Searching(sage) => sage,
                Entrant::Direct(agent) => {
                    own().for_each(|seat| actions[seat] = agent(game, seat, seed));
                    continue;
                }
            };
            let search = sage.search(game, None, seed, goes_on);
            if !goes_on() {
                return None;
            }
            if number == 0 {
                points = search.points.0;
            }
            own().for_each(|seat| actions[seat] = choose(&search, game.state().turn, seat, rng));
        }
        Some(RecordedTurn { actions, hundredths: points.map(|points| (points * 100.0).round() as u32) })
    }
}

fn choose(search: &SearchResult, turn: u32, seat: Seat, rng: &mut Xoshiro256PlusPlus) -> Action {
    let options = &search.options[seat];
    let is_sampled = turn < SAMPLED_TURNS || below(rng, SAMPLED_LATER) == 0;
    let option = if is_sampled { draw_by_visits(options, rng) } else { options.iter().max_by_key(|option| option.visits) };
    option.map_or(Action::Stay, |option| option.action)
}

/// Draws an option in proportion to its visits.
pub(crate) fn draw_by_visits<'a>(options: &'a [RootAction], rng: &mut Xoshiro256PlusPlus) -> Option<&'a RootAction> {
    draw(options, |option| option.visits, rng)
}
