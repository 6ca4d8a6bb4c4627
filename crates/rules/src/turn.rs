//! **The rules.** One turn in twelve steps. This file is the specification that everything else runs on.
//!
//! Where the wiki's prose and its sample program disagree, the sample program is the rule; such places name their ruling
//! (`docs/RULINGS.md`), and a test in `tests/rulings.rs` bears its name.
//!
//! Steps first ask [`lanes`] whom they concern, all four players at once, and then look at those one by one. Gains named
//! here are those of random play on Botzone's maps, measured on a Zen 4 by leaving the one thing out.

pub(crate) mod lanes;
mod random;

use crate::action::Action;
use crate::field::{Cell, CellSet};
use crate::maze::Maze;
use crate::report::{Cause, Event, Fruit, Observer, plus_halves};
use crate::ruleset::ForfeitRuling;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;
use lanes::{Aims, Places};

impl State {
    /// Plays one turn and tells `observer` what happens; returns whether the game goes on.
    ///
    /// Orders of the dead are not looked at. Call it only while the game [is not over](State::is_over).
    #[inline]
    pub fn play(&mut self, maze: &Maze, actions: &BySeat<Action>, observer: &mut impl Observer) -> bool {
        let aims = Aims::new(BySeat::from_fn(|seat| maze.aim(self.cells[seat], actions[seat]))).only(self.alive);
        let mut turn = Turn::new(self, maze, actions, aims, observer);
        turn.illegal = turn.find_illegal();
        turn.doubtful = turn.find_doubtful();
        turn.play()
    }
}

/// A turn in progress.
struct Turn<'a, O> {
    state: &'a mut State,
    maze: &'a Maze,
    observer: &'a mut O,
    /// As given. Only the onlooker hears of orders; the steps go by `aims`, which say the same.
    actions: &'a BySeat<Action>,
    aims: Aims,
    /// Where the living are about to be, and from step 2 on are. The dead are nowhere.
    places: Places,
    /// Who is about to be where another is now.
    visitors: SeatSet,
    /// Who gave an illegal order.
    illegal: SeatSet,
    /// Who died this turn of an illegal order.
    forfeited: SeatSet,
    /// Who wanted to walk to somebody stronger, and stays.
    frightened: SeatSet,
    /// The living who do not stand alone after step 2.
    crowd: SeatSet,
    /// Who shoots.
    shooters: SeatSet,
    /// Who may have no strength left after the lights: whom they hit, and everybody if some position not left behind by a
    /// turn has the living without strength.
    doubtful: SeatSet,
    /// Whose boosts ended.
    unboosted: SeatSet,
}

impl<'a, O: Observer> Turn<'a, O> {
    #[inline(always)]
    fn play(mut self) -> bool {
        self.check_actions(); //      1
        self.move_all(); //            2
        self.fight(); //               3
        self.fire_lights(); //               4
        self.remove_dead_after_lights(); //        5
        self.spawn_fruit(); //          6
        self.eat_fruit(); //           7
        self.expire_boosts(); //     8
        self.remove_dead_after_boosts(); //  9
        self.state.turn += 1; //      10
        if self.last_one_stands() {
            return false; //          11
        }
        self.state.turn < self.maze.ruleset().turn_limit // 12
    }

    /// 1. Seat by seat: who gives an illegal order forfeits; who would walk to somebody stronger is frightened and stays.
    #[inline(always)]
    fn check_actions(&mut self) {
        // Ruling fright-in-seat-order: strengths and places are those from before anyone moves, except that who has
        // forfeited is gone for the seats after it.
        //
        // Nothing can happen to the others; to leave them out is a quarter faster.
        for seat in self.worth_a_look(self.state.alive, self.illegal | self.visitors).iter() {
            let mut action = self.actions[seat];
            if self.illegal.contains(seat) {
                self.observer.on_event(Event::Acted { seat, action });
                self.forfeited.insert(seat);
                self.die(seat, self.state.strength[seat], Cause::IllegalAction { action });
                continue;
            }
            let stronger = stronger_on(self.state, self.places.at(seat), seat);
            if !stronger.is_empty() {
                // It stays, which is nothing new for who has no order to walk.
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

    /// 2. All who walk walk, at the same time.
    #[inline(always)]
    fn move_all(&mut self) {
        let from = self.state.cells;
        self.state.cells = self.places.or(self.state.alive, Places::new(from)).by_seat();
        for seat in self.worth_a_look(self.state.alive, SeatSet::EMPTY).and(!self.frightened).iter() {
            if let Action::Move(direction) = self.actions[seat] {
                self.observer.on_event(Event::Moved { seat, from: from[seat], to: self.state.cells[seat], direction });
            }
        }
    }

    /// 3. Where several stand on one cell, the strongest eat the weaker.
    #[inline(always)]
    fn fight(&mut self) {
        self.crowd = self.places.shared().and(self.state.alive);
        if !self.crowd.is_empty() {
            fight_out(self.state, self.crowd, self.observer);
            self.places = self.places.only(self.state.alive);
        }
    }

    /// 4. Lights: each shooter pays, and takes from everyone in its light's way. Nobody dies of it yet (ruling
    ///    light-counts-the-dying).
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
            // Ruling light-never-hits-home: the shooter's own cell is never in its way.
            for victim in exposed.on(self.maze.ray(from, direction)).iter() {
                self.hit(shooter, victim);
            }
        }
    }

    /// 5. Whoever has no strength left after the lights dies with 0.
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
                    self.observer.on_event(Event::Settled { seat, gained });
                }
            }
        }
    }

    /// 6. In their turn the generators bear small fruit around them, wherever no fruit lies yet.
    #[inline(always)]
    fn spawn_fruit(&mut self) {
        self.state.generator_turns_left = self.state.generator_turns_left.wrapping_sub(1);
        if self.state.generator_turns_left != 0 {
            return;
        }
        // Ruling bear-before-eating: also under players, but never on a generator nor on any fruit.
        self.state.generator_turns_left = self.maze.ruleset().generator_interval;
        let cells = self.maze.spawn_cells() & !(self.state.small_fruits | self.state.large_fruits);
        self.state.small_fruits |= cells;
        self.observer.on_event(Event::FruitSpawned { cells });
    }

    /// 7. Whoever stands alone on a fruit eats it.
    #[inline(always)]
    fn eat_fruit(&mut self) {
        let mut found = self.places.cells() & (self.state.small_fruits | self.state.large_fruits);
        // In most turns nobody finds any; to ask that first is 2 to 25 % faster.
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

    /// 8. Boosts have one turn less, and end.
    #[inline(always)]
    fn expire_boosts(&mut self) {
        // Ruling boost-counts-the-turn-of-eating: also those of fruit eaten a moment ago.
        let before = self.state.boost_turns_left;
        // For most of a game nobody is boosted; to ask that first is 1 to 4 % faster.
        if before == BySeat([0; 4]) {
            return;
        }
        let alive = self.state.alive;
        let counts = |seat: Seat| (before[seat] > 0) & alive.contains(seat);
        self.state.boost_turns_left = BySeat::from_fn(|seat| before[seat] - u32::from(counts(seat)));
        let ending = SeatSet::from_fn(|seat| before[seat] == 1).and(alive);
        for seat in self.worth_a_look(SeatSet::from_fn(counts), ending).iter() {
            self.observer.on_event(Event::BoostCounted { seat, turns_left: self.state.boost_turns_left[seat] });
            if ending.contains(seat) {
                let lost = self.maze.ruleset().large_fruit_enhancement;
                self.state.strength[seat] -= lost;
                self.observer.on_event(Event::BoostEnded { seat, lost });
            }
        }
        self.unboosted = ending;
    }

    /// 9. Whoever has no strength left without its boost dies with 0.
    #[inline(always)]
    fn remove_dead_after_boosts(&mut self) {
        for seat in self.unboosted.iter() {
            if self.state.strength[seat] <= 0 {
                self.die(seat, self.state.strength[seat], Cause::BoostEnded);
            }
        }
    }

    /// 11. The game ends when at most one player lives; a sole survivor receives every small fruit on the field.
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
/// What few turns need stays out of line: it would take registers from all the others. That is 3 % faster.
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

/// Who stands on `cell` and is stronger than `seat`.
#[cold]
fn stronger_on(state: &State, cell: Cell, seat: Seat) -> SeatSet {
    state.standing_on(cell).and(SeatSet::from_fn(|other| state.strength[other] > state.strength[seat]))
}

#[cold]
fn die(state: &mut State, seat: Seat, lost: i32, cause: Cause, observer: &mut impl Observer) {
    state.alive.remove(seat);
    state.strength[seat] -= lost;
    observer.on_event(Event::Died { seat, cell: state.cells[seat], lost, cause });
}

/// These places and those of the forfeited whom lights hit all the same (ruling light-on-the-forfeited).
#[cold]
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
    /// A turn of legal orders from a position in which all of the living have strength.
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

    /// Who of the living gave an illegal order.
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

    /// Everybody, if somebody lives without strength.
    #[inline(always)]
    fn find_doubtful(&self) -> SeatSet {
        let somebody = Seat::ALL.iter().any(|&seat| self.state.alive.contains(seat) && self.state.strength[seat] <= 0);
        if somebody { SeatSet::FULL } else { SeatSet::EMPTY }
    }

    /// All of them if the onlooker looks, else only the `few` of them to whom something happens.
    #[inline(always)]
    fn worth_a_look(&self, all: SeatSet, few: SeatSet) -> SeatSet {
        if self.observer.is_active() { all } else { few }
    }

    #[inline(always)]
    fn die(&mut self, seat: Seat, lost: i32, cause: Cause) {
        die(self.state, seat, lost, cause, self.observer);
        self.places = self.places.only(self.state.alive);
    }

    /// Ruling light-rounds-toward-zero: victim and shooter are each rounded by themselves.
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

    /// Whose lights hit `seat` this turn.
    #[inline(always)]
    fn lights_on(&self, seat: Seat) -> SeatSet {
        let cells = &self.state.cells;
        SeatSet::from_fn(|shooter| self.maze.is_lit(cells[shooter], self.aims.direction(shooter), cells[seat])).and(self.shooters)
    }

    /// Where nobody shares a cell, whoever is on small fruit eats it. Returns where only large fruit was found.
    ///
    /// It says nothing that step 7 does not say. Who eats is hard to guess, and nothing here depends on a guess: up to 6 %
    /// faster.
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
