//! **The rules.** One turn in twelve steps. This file is the executable specification.
//!
//! 1. [Check actions](Turn::check_actions): illegal ones forfeit; stronger players frighten.
//! 2. [Move](Turn::move_all): all at once.
//! 3. [Fight](Turn::fight): the strongest on a cell eat the others.
//! 4. [Fire lights](Turn::fire_lights): shots cost strength and take strength.
//! 5. [Remove the dead](Turn::remove_dead_after_lights): players without strength die.
//! 6. [Spawn fruit](Turn::spawn_fruit) around the generators.
//! 7. [Eat fruit](Turn::eat_fruit): a player alone on a fruit eats it.
//! 8. [Expire boosts](Turn::expire_boosts): each has one turn less.
//! 9. [Remove the dead](Turn::remove_dead_after_boosts): players without strength die.
//! 10. Count the turn.
//! 11. [End with the last survivor](Turn::last_one_stands), who inherits all small fruit.
//! 12. End at the turn limit.
//!
//! Where the wiki's prose and its sample program disagree, the sample program is the rule. Such places name their ruling
//! (`docs/RULINGS.md`), and a test in `tests/it/rulings.rs` has its name.
//!
//! Steps first find out with [`lanes`], for all four players at once, which players they concern, and then look at those
//! one by one. The gains in comments are those of random play on Botzone's maps, measured on a Zen 4 by leaving out just
//! that optimisation.

pub(crate) mod lanes;
mod random;

use crate::action::Action;
use crate::cell::{Cell, CellSet};
use crate::event::{Cause, Event, Fruit, Observer};
use crate::maze::Maze;
use crate::report::plus_halves;
use crate::ruleset::ForfeitRuling;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::{PlayError, State};
use lanes::{Aims, Places};

impl State {
    /// Plays one turn, reports events to `observer`, and returns whether the game goes on.
    ///
    /// The actions of dead players are ignored.
    ///
    /// # Panics
    ///
    /// In debug builds, panics if the game is [over](State::is_over) or a living player's cell is outside the maze. In release
    /// builds the result is then unspecified; [`State::try_play`] checks it.
    ///
    /// ```
    /// use pacman2_rules::{Action, BySeat, Direction, Seat, picture};
    ///
    /// let (maze, mut state) = picture::read("
    ///     +---+---+---+---+
    ///     | 0   .       1 |
    ///     +---+---+---+---+
    ///     1: 9
    /// ").unwrap();
    /// let actions =
    ///     BySeat([Action::Move(Direction::Right), Action::Shoot(Direction::Left), Action::Stay, Action::Stay]);
    /// // The light takes 6 strength from player 0, which has 1: it dies before it can eat.
    /// let goes_on = state.play(&maze, &actions, &mut ());
    /// assert!(!goes_on && !state.alive.contains(Seat::S0));
    /// // Player 1 paid 4 and gained 6; the sole survivor receives all small fruit.
    /// assert_eq!(state.strength[Seat::S1], 9 - 4 + 6 + 1);
    /// ```
    #[inline]
    pub fn play(&mut self, maze: &Maze, actions: &BySeat<Action>, observer: &mut impl Observer) -> bool {
        debug_assert_eq!(self.check_playable(maze), Ok(()), "`play` needs a game that is not over, in its own maze");
        let aims = Aims::new(BySeat::from_fn(|seat| maze.aim(self.cells[seat], actions[seat]))).only(self.alive);
        let mut turn = Turn::new(self, maze, actions, aims, observer);
        turn.illegal = turn.find_illegal();
        turn.doubtful = turn.find_doubtful();
        turn.play()
    }

    /// Plays one turn like [`State::play`], after a check that it can be played.
    ///
    /// # Errors
    ///
    /// Returns an error, and plays nothing, if the game is over or the position belongs to another maze.
    ///
    /// ```
    /// use pacman2_rules::{Action, BySeat, PlayError, picture};
    ///
    /// let (maze, mut state) = picture::read("
    ///     turn 99/100
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let actions = BySeat([Action::Stay; 4]);
    /// assert_eq!(state.try_play(&maze, &actions, &mut ()), Ok(false));
    /// assert_eq!(state.try_play(&maze, &actions, &mut ()), Err(PlayError::GameOver { turn: 100 }));
    /// ```
    pub fn try_play(&mut self, maze: &Maze, actions: &BySeat<Action>, observer: &mut impl Observer) -> Result<bool, PlayError> {
        self.check_playable(maze)?;
        Ok(self.play(maze, actions, observer))
    }
}

/// A turn in progress.
struct Turn<'a, O> {
    state: &'a mut State,
    maze: &'a Maze,
    observer: &'a mut O,
    /// As given, for the observer. The steps use `aims`, which mean the same.
    actions: &'a BySeat<Action>,
    aims: Aims,
    /// The cells that the living are about to enter, and from step 2 on are in. The dead are nowhere.
    places: Places,
    /// The players about to enter the cell of another.
    visitors: SeatSet,
    /// The players with an illegal action.
    illegal: SeatSet,
    /// The players that died of an illegal action this turn.
    forfeited: SeatSet,
    /// The players that stay because a stronger one stands ahead.
    frightened: SeatSet,
    /// The living that are not alone on their cell after step 2.
    crowd: SeatSet,
    /// The players that shoot.
    shooters: SeatSet,
    /// The players that may have no strength after step 4: those hit by light, and all in a position that no turn leads to,
    /// in which living players have no strength.
    doubtful: SeatSet,
    /// The players whose boosts ended.
    unboosted: SeatSet,
}

impl<'a, O: Observer> Turn<'a, O> {
    #[inline(always)]
    fn play(mut self) -> bool {
        self.check_actions(); //             1
        self.move_all(); //                  2
        self.fight(); //                     3
        self.fire_lights(); //               4
        self.remove_dead_after_lights(); //  5
        self.spawn_fruit(); //               6
        self.eat_fruit(); //                 7
        self.expire_boosts(); //             8
        self.remove_dead_after_boosts(); //  9
        self.state.turn += 1; //             10
        if self.last_one_stands() {
            return false; //                 11
        }
        self.state.turn < self.maze.ruleset().turn_limit // 12
    }

    /// 1. Checks actions seat by seat: an illegal action forfeits; a player stays if a stronger one stands ahead.
    #[inline(always)]
    fn check_actions(&mut self) {
        // Ruling fright-in-seat-order: strengths and places are those before anyone moves, except that a player that has
        // forfeited is gone for the seats after it.
        //
        // Nothing can happen to the other players; to skip them is a quarter faster.
        for seat in self.to_visit(self.state.alive, self.illegal | self.visitors).iter() {
            let mut action = self.actions[seat];
            if self.illegal.contains(seat) {
                self.observer.on_event(Event::Acted { seat, action });
                self.forfeited.insert(seat);
                self.die(seat, self.state.strength[seat], Cause::IllegalAction { action });
                continue;
            }
            let stronger = stronger_on(self.state, self.places.at(seat), seat);
            if !stronger.is_empty() {
                // Without a move this changes nothing.
                self.places.put(seat, self.state.cells[seat]);
                if let Action::Move(direction) = action {
                    self.frightened.insert(seat);
                    self.observer.on_event(Event::Frightened { seat, direction, by: stronger });
                    action = Action::Stay;
                }
            }
            self.observer.on_event(Event::Acted { seat, action });
        }
    }

    /// 2. Moves all players at the same time.
    #[inline(always)]
    fn move_all(&mut self) {
        let from = self.state.cells;
        self.state.cells = self.places.or(self.state.alive, Places::new(from)).by_seat();
        for seat in self.to_visit(self.state.alive, SeatSet::EMPTY).and(!self.frightened).iter() {
            if let Action::Move(direction) = self.actions[seat] {
                self.observer.on_event(Event::Moved { seat, from: from[seat], to: self.state.cells[seat], direction });
            }
        }
    }

    /// 3. Where several players share a cell, the strongest eat the others.
    #[inline(always)]
    fn fight(&mut self) {
        self.crowd = self.places.shared().and(self.state.alive);
        if !self.crowd.is_empty() {
            fight_out(self.state, self.crowd, self.observer);
            self.places = self.places.only(self.state.alive);
        }
    }

    /// 4. Each shooter pays, and takes strength from everyone in its light. No player dies yet (ruling light-counts-the-dying).
    #[inline(always)]
    fn fire_lights(&mut self) {
        let cost = self.maze.ruleset().skill_cost;
        self.shooters = self.shooters.and(self.state.alive);
        for shooter in self.shooters.iter() {
            let direction = self.aims.direction(shooter);
            let from = self.state.cells[shooter];
            self.state.strength[shooter] -= cost;
            self.observer.on_event(Event::Fired { seat: shooter, from, direction, cost });
            let exposed = if self.forfeited.is_empty() {
                self.places
            } else {
                with_the_exposed(self.state, self.maze, self.places, self.forfeited)
            };
            // Ruling light-never-hits-home: a ray never contains the shooter's own cell.
            for victim in exposed.on(self.maze.ray(from, direction)).iter() {
                self.hit(shooter, victim);
            }
        }
    }

    /// 5. Players without strength after the light die with 0.
    #[inline(always)]
    fn remove_dead_after_lights(&mut self) {
        for seat in self.doubtful.and(self.state.alive).iter() {
            if self.state.strength[seat] <= 0 {
                self.die(seat, self.state.strength[seat], Cause::Light { by: self.lights_on(seat) });
            }
        }
        if !self.forfeited.is_empty() && self.maze.ruleset().forfeit_ruling == ForfeitRuling::Prose {
            for seat in self.forfeited.iter() {
                let gained = -self.state.strength[seat];
                if gained != 0 {
                    self.state.strength[seat] = 0;
                    self.observer.on_event(Event::StrengthReset { seat, gained });
                }
            }
        }
    }

    /// 6. When they are due, the generators put small fruit on the cells around them that have no fruit.
    #[inline(always)]
    fn spawn_fruit(&mut self) {
        self.state.generator_turns_left = self.state.generator_turns_left.wrapping_sub(1);
        if self.state.generator_turns_left != 0 {
            return;
        }
        // Ruling bear-before-eating: also under players, but never on a generator or on fruit.
        self.state.generator_turns_left = self.maze.ruleset().generator_interval;
        let cells = self.maze.spawn_cells() & !(self.state.small_fruits | self.state.large_fruits);
        self.state.small_fruits |= cells;
        self.observer.on_event(Event::FruitSpawned { cells });
    }

    /// 7. A player alone on a fruit eats it.
    #[inline(always)]
    fn eat_fruit(&mut self) {
        let mut found = self.places.cells() & (self.state.small_fruits | self.state.large_fruits);
        // In most turns no player finds any; this early return is 2 to 25 % faster.
        if found.is_empty() {
            return;
        }
        if self.crowd.is_empty() && !self.observer.is_active() {
            found = self.eat_small_fruit_at_once(found);
        }
        for seat in self.places.alone_on(found).iter() {
            let cell = self.state.cells[seat];
            // Ruling both-fruits: the small one first.
            if self.state.small_fruits.contains(cell) {
                self.state.small_fruits.remove(cell);
                self.state.strength[seat] += 1;
                self.observer.on_event(Event::Ate { seat, cell, fruit: Fruit::Small, gained: 1 });
            } else {
                self.state.large_fruits.remove(cell);
                let ruleset = self.maze.ruleset();
                let gained = if self.state.boost_turns_left[seat] == 0 { ruleset.large_fruit_enhancement } else { 0 };
                self.state.strength[seat] += gained;
                self.state.boost_turns_left[seat] += ruleset.large_fruit_duration;
                self.observer.on_event(Event::Ate { seat, cell, fruit: Fruit::Large, gained });
            }
        }
    }

    /// 8. Each boost has one turn less, and ends at 0.
    #[inline(always)]
    fn expire_boosts(&mut self) {
        // Ruling boost-counts-the-turn-of-eating: boosts of fruit eaten in step 7 included.
        let before = self.state.boost_turns_left;
        // For most of a game no player has a boost; this early return is 1 to 4 % faster.
        if before == BySeat([0; 4]) {
            return;
        }
        let alive = self.state.alive;
        let counts = |seat: Seat| (before[seat] > 0) & alive.contains(seat);
        self.state.boost_turns_left = BySeat::from_fn(|seat| before[seat] - u32::from(counts(seat)));
        let ending = SeatSet::from_fn(|seat| before[seat] == 1).and(alive);
        for seat in self.to_visit(SeatSet::from_fn(counts), ending).iter() {
            self.observer.on_event(Event::BoostCounted { seat, turns_left: self.state.boost_turns_left[seat] });
            if ending.contains(seat) {
                let lost = self.maze.ruleset().large_fruit_enhancement;
                self.state.strength[seat] -= lost;
                self.observer.on_event(Event::BoostEnded { seat, lost });
            }
        }
        self.unboosted = ending;
    }

    /// 9. Players without strength after their boost ended die with 0.
    #[inline(always)]
    fn remove_dead_after_boosts(&mut self) {
        for seat in self.unboosted.iter() {
            if self.state.strength[seat] <= 0 {
                self.die(seat, self.state.strength[seat], Cause::BoostEnded);
            }
        }
    }

    /// 11. The game ends when at most one player lives; a sole survivor receives all small fruit in the maze.
    #[inline(always)]
    fn last_one_stands(&mut self) -> bool {
        if self.state.alive.len() > 1 {
            return false;
        }
        for seat in self.state.alive.iter() {
            let fruits = self.state.small_fruits.len() as i32;
            self.state.strength[seat] += fruits;
            self.observer.on_event(Event::Inherited { seat, fruits });
        }
        true
    }
}

/// The fights of step 3.
///
/// Out of line, since few turns need it and inline it would take registers from all others: 3 % faster.
#[cold]
fn fight_out(state: &mut State, mut crowd: SeatSet, observer: &mut impl Observer) {
    while let Some(first) = crowd.iter().next() {
        let cell = state.cells[first];
        let here = state.standing_on(cell);
        crowd = crowd.and(!here);
        let most = here.iter().map(|seat| state.strength[seat]).max().unwrap_or(0);
        let winners = SeatSet::from_fn(|seat| state.strength[seat] == most).and(here);
        let eaten = here.and(!winners);
        if eaten.is_empty() {
            continue;
        }
        // Rulings halved-with-the-boost and loot-rounds-twice.
        let loot: i32 = eaten.iter().map(|seat| state.strength[seat] / 2).sum();
        let share = loot / winners.len() as i32;
        for seat in eaten.iter() {
            let lost = state.strength[seat] / 2;
            state.strength[seat] -= lost;
            observer.on_event(Event::Looted { seat, lost });
            die(state, seat, 0, Cause::Eaten { by: winners }, observer);
        }
        for seat in winners.iter() {
            state.strength[seat] += share;
        }
        observer.on_event(Event::Fought { cell, winners, eaten, loot, share });
    }
}

/// Returns the players on `cell` that are stronger than `seat`.
#[cold]
#[inline]
fn stronger_on(state: &State, cell: Cell, seat: Seat) -> SeatSet {
    state.standing_on(cell).and(SeatSet::from_fn(|other| state.strength[other] > state.strength[seat]))
}

#[cold]
fn die(state: &mut State, seat: Seat, lost: i32, cause: Cause, observer: &mut impl Observer) {
    state.alive.remove(seat);
    state.strength[seat] -= lost;
    observer.on_event(Event::Died { seat, cell: state.cells[seat], lost, cause });
}

/// Adds the places of forfeited players that light hits all the same (ruling light-on-the-forfeited).
#[cold]
#[inline]
fn with_the_exposed(state: &State, maze: &Maze, mut places: Places, forfeited: SeatSet) -> Places {
    for seat in forfeited.iter() {
        let cell = state.cells[seat];
        let exposed = match maze.ruleset().forfeit_ruling {
            ForfeitRuling::Sample => false,
            ForfeitRuling::Judge => !state.standing_on(cell).is_empty(),
            ForfeitRuling::Prose => true,
        };
        if exposed {
            places.put(seat, cell);
        }
    }
    places
}

impl<'a, O: Observer> Turn<'a, O> {
    /// Returns a turn of legal actions from a position in which all living players have strength.
    #[inline(always)]
    fn new(state: &'a mut State, maze: &'a Maze, actions: &'a BySeat<Action>, aims: Aims, observer: &'a mut O) -> Turn<'a, O> {
        let here = Places::new(state.cells).only(state.alive);
        let places = aims.places(here);
        Turn {
            visitors: places.of_others(here).and(state.alive),
            shooters: aims.others(),
            illegal: SeatSet::EMPTY,
            forfeited: SeatSet::EMPTY,
            frightened: SeatSet::EMPTY,
            crowd: SeatSet::EMPTY,
            doubtful: SeatSet::EMPTY,
            unboosted: SeatSet::EMPTY,
            state,
            maze,
            observer,
            actions,
            aims,
            places,
        }
    }

    /// Returns the living players with an illegal action.
    #[inline(always)]
    fn find_illegal(&self) -> SeatSet {
        let mut illegal = SeatSet::EMPTY;
        for seat in self.aims.others().iter() {
            if !self.state.is_legal(self.maze, seat, self.actions[seat]) {
                illegal.insert(seat);
            }
        }
        illegal
    }

    /// Returns all seats if any living player has no strength.
    #[inline(always)]
    fn find_doubtful(&self) -> SeatSet {
        let any = Seat::ALL.iter().any(|&seat| self.state.alive.contains(seat) && self.state.strength[seat] <= 0);
        if any { SeatSet::FULL } else { SeatSet::EMPTY }
    }

    /// Returns `all` if the observer is active, otherwise only the `few` to which something happens.
    #[inline(always)]
    fn to_visit(&self, all: SeatSet, few: SeatSet) -> SeatSet {
        if self.observer.is_active() { all } else { few }
    }

    #[inline(always)]
    fn die(&mut self, seat: Seat, lost: i32, cause: Cause) {
        die(self.state, seat, lost, cause, self.observer);
        self.places = self.places.only(self.state.alive);
    }

    /// Resolves one hit. Ruling light-rounds-toward-zero: victim and shooter are rounded separately.
    #[inline(always)]
    fn hit(&mut self, shooter: Seat, victim: Seat) {
        let halves = 3 * self.maze.ruleset().skill_cost;
        let strength = &mut self.state.strength;
        strength[victim] = plus_halves(strength[victim], -halves);
        strength[shooter] = plus_halves(strength[shooter], halves);
        self.doubtful.insert(victim);
        self.observer.on_event(Event::Hit {
            shooter,
            victim,
            shooter_strength: strength[shooter],
            victim_strength: strength[victim],
        });
    }

    /// Returns the players whose light hit `seat` this turn.
    #[inline(always)]
    fn lights_on(&self, seat: Seat) -> SeatSet {
        let cells = &self.state.cells;
        SeatSet::from_fn(|shooter| self.maze.is_lit(cells[shooter], self.aims.direction(shooter), cells[seat])).and(self.shooters)
    }

    /// Feeds small fruit to all players at once, given that no players share a cell. Returns the cells where only large fruit
    /// was found.
    ///
    /// It is step 7 without branches, since branches on which player eats are often mispredicted: up to 6 % faster.
    #[inline(always)]
    fn eat_small_fruit_at_once(&mut self, found: CellSet) -> CellSet {
        let eaten = found & self.state.small_fruits;
        let places = self.places.by_seat();
        for seat in Seat::ALL {
            self.state.strength[seat] += i32::from(eaten.contains(places[seat]));
        }
        self.state.small_fruits = self.state.small_fruits & !eaten;
        found & !eaten
    }
}
