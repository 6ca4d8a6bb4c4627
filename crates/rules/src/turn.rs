//! **The rules.** One turn in twelve steps. This file is the specification that everything else runs on.
//!
//! Where the wiki's prose and its sample program disagree, the sample program is the rule; such places name their ruling
//! (`docs/RULINGS.md`), and a test in `tests/rulings.rs` bears its name.

use crate::arena::{Arena, LightOnTheForfeited};
use crate::order::Order;
use crate::report::{Cause, Event, Fruit, Onlooker, plus_halves};
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;

impl State {
    /// Plays one turn and tells `onlooker` what happens; returns whether the game goes on.
    ///
    /// Orders of the dead are not looked at. Call it only while the game [is not over](State::is_over).
    #[inline]
    pub fn play(&mut self, arena: &Arena, orders: &BySeat<Order>, onlooker: &mut impl Onlooker) -> bool {
        let mut turn =
            Turn { state: self, arena, onlooker, orders: *orders, forfeited: SeatSet::EMPTY, hit_by: BySeat::default() };
        turn.examine_orders(); //      1
        turn.move_all(); //            2
        turn.fight(); //               3
        turn.shine(); //               4
        turn.bury_the_lit(); //        5
        turn.bear_fruit(); //          6
        turn.eat_fruit(); //           7
        turn.wear_off_boosts(); //     8
        turn.bury_the_unboosted(); //  9
        turn.state.turn += 1; //      10
        if turn.last_one_stands() {
            return false; //          11
        }
        turn.state.turn < arena.settings().turn_limit // 12
    }
}

/// A turn in progress.
struct Turn<'a, O> {
    state: &'a mut State,
    arena: &'a Arena,
    onlooker: &'a mut O,
    /// What the living do: as ordered, or `Stay` after a fright.
    orders: BySeat<Order>,
    /// Who died this turn of an illegal order.
    forfeited: SeatSet,
    /// Whose lights hit each player this turn.
    hit_by: BySeat<SeatSet>,
}

impl<O: Onlooker> Turn<'_, O> {
    /// 1. Seat by seat: who gives an illegal order forfeits; who would walk to somebody stronger is frightened and stays.
    #[inline(always)]
    fn examine_orders(&mut self) {
        // Ruling fright-in-seat-order: strengths and places are those from before anyone moves, except that who has
        // forfeited is gone for the seats after it.
        for seat in Seat::ALL {
            if !self.lives(seat) {
                continue;
            }
            let order = self.orders[seat];
            if !self.state.is_legal(self.arena, seat, order) {
                self.onlooker.sees(Event::Ordered { seat, order });
                self.forfeit(seat, order);
                continue;
            }
            if let Order::Move(direction) = order {
                let target = self.arena.neighbour(self.state.cells[seat], direction);
                let strength = self.state.strength[seat];
                let stronger =
                    self.state.standing_on(target).and(SeatSet::from_fn(|other| self.state.strength[other] > strength));
                if !stronger.is_empty() {
                    self.onlooker.sees(Event::Frightened { seat, direction, by: stronger });
                    self.orders[seat] = Order::Stay;
                }
            }
            self.onlooker.sees(Event::Ordered { seat, order: self.orders[seat] });
        }
    }

    /// 2. All who walk walk, at the same time.
    #[inline(always)]
    fn move_all(&mut self) {
        for seat in Seat::ALL {
            if !self.lives(seat) {
                continue;
            }
            if let Order::Move(direction) = self.orders[seat] {
                let from = self.state.cells[seat];
                let to = self.arena.neighbour(from, direction);
                self.state.cells[seat] = to;
                self.onlooker.sees(Event::Moved { seat, from, to, direction });
            }
        }
    }

    /// 3. Where several stand on one cell, the strongest eat the weaker.
    #[inline(always)]
    fn fight(&mut self) {
        let crowd = self.crowd();
        if !crowd.is_empty() {
            self.fight_out(crowd);
        }
    }

    #[cold]
    fn fight_out(&mut self, mut crowd: SeatSet) {
        while let Some(first) = crowd.iter().next() {
            let cell = self.state.cells[first];
            let here = self.state.standing_on(cell);
            crowd = crowd.and(!here);
            let most = here.iter().map(|seat| self.state.strength[seat]).max().unwrap_or(0);
            let winners = SeatSet::from_fn(|seat| self.state.strength[seat] == most).and(here);
            let eaten = here.and(!winners);
            if eaten.is_empty() {
                continue;
            }
            // Rulings halved-with-the-boost and loot-rounds-twice.
            let loot: i32 = eaten.iter().map(|seat| self.state.strength[seat] / 2).sum();
            let share = loot / winners.len() as i32;
            for seat in eaten.iter() {
                let lost = self.state.strength[seat] / 2;
                self.state.strength[seat] -= lost;
                self.onlooker.sees(Event::Looted { seat, lost });
                self.die(seat, 0, Cause::Eaten { by: winners });
            }
            for seat in winners.iter() {
                self.state.strength[seat] += share;
            }
            self.onlooker.sees(Event::Fought { cell, winners, eaten, loot, share });
        }
    }

    /// 4. Lights: each shooter pays, and takes from everyone in its light's way. Nobody dies of it yet (ruling
    ///    light-counts-the-dying).
    #[inline(always)]
    fn shine(&mut self) {
        let cost = self.arena.settings().skill_cost;
        for shooter in Seat::ALL {
            let Order::Shoot(direction) = self.orders[shooter] else { continue };
            if !self.lives(shooter) {
                continue;
            }
            let from = self.state.cells[shooter];
            self.state.strength[shooter] -= cost;
            self.onlooker.sees(Event::Fired { seat: shooter, from, direction, cost });
            let mut hit = self.state.alive;
            if !self.forfeited.is_empty() {
                hit |= self.forfeited_but_exposed();
            }
            for victim in Seat::ALL {
                // Ruling light-never-hits-home: the shooter's own cell is never in its way.
                if hit.contains(victim) && self.arena.is_lit(from, direction, self.state.cells[victim]) {
                    self.hit(shooter, victim);
                }
            }
        }
    }

    /// 5. Whoever has no strength left after the lights dies with 0.
    #[inline(always)]
    fn bury_the_lit(&mut self) {
        for seat in self.powerless() {
            self.die(seat, self.state.strength[seat], Cause::Light { by: self.hit_by[seat] });
        }
        if !self.forfeited.is_empty() && self.arena.settings().light_on_the_forfeited == LightOnTheForfeited::Prose {
            for seat in self.forfeited.iter() {
                self.onlooker.sees(Event::Settled { seat, gained: -self.state.strength[seat] });
                self.state.strength[seat] = 0;
            }
        }
    }

    /// 6. In their turn the generators bear small fruit around them, wherever no fruit lies yet.
    #[inline(always)]
    fn bear_fruit(&mut self) {
        self.state.generator_turns_left = self.state.generator_turns_left.wrapping_sub(1);
        if self.state.generator_turns_left != 0 {
            return;
        }
        // Ruling bear-before-eating: also under players, but never on a generator nor on any fruit.
        self.state.generator_turns_left = self.arena.settings().generator_interval;
        let cells = self.arena.births() & !(self.state.small_fruits | self.state.large_fruits);
        self.state.small_fruits |= cells;
        self.onlooker.sees(Event::Born { cells });
    }

    /// 7. Whoever stands alone on a fruit eats it.
    #[inline(always)]
    fn eat_fruit(&mut self) {
        let settings = self.arena.settings();
        let crowd = self.crowd();
        for seat in Seat::ALL {
            if !self.lives(seat) || crowd.contains(seat) {
                continue;
            }
            let cell = self.state.cells[seat];
            // Ruling both-fruits: the small one first.
            if self.state.small_fruits.contains(cell) {
                self.state.small_fruits.remove(cell);
                self.state.strength[seat] += 1;
                self.onlooker.sees(Event::Ate { seat, cell, fruit: Fruit::Small, gained: 1 });
            } else if self.state.large_fruits.contains(cell) {
                self.state.large_fruits.remove(cell);
                let gained = if self.state.boost_turns_left[seat] == 0 { settings.large_fruit_enhancement } else { 0 };
                self.state.strength[seat] += gained;
                self.state.boost_turns_left[seat] += settings.large_fruit_duration;
                self.onlooker.sees(Event::Ate { seat, cell, fruit: Fruit::Large, gained });
            }
        }
    }

    /// 8. Boosts have one turn less, and end.
    #[inline(always)]
    fn wear_off_boosts(&mut self) {
        // Ruling boost-counts-the-turn-of-eating: also those of fruit eaten a moment ago.
        for seat in Seat::ALL {
            let turns_left = &mut self.state.boost_turns_left[seat];
            if *turns_left == 0 || !self.state.alive.contains(seat) {
                continue;
            }
            *turns_left -= 1;
            self.onlooker.sees(Event::BoostCounted { seat, turns_left: *turns_left });
            if *turns_left == 0 {
                let lost = self.arena.settings().large_fruit_enhancement;
                self.state.strength[seat] -= lost;
                self.onlooker.sees(Event::BoostEnded { seat, lost });
            }
        }
    }

    /// 9. Whoever has no strength left without its boost dies with 0.
    #[inline(always)]
    fn bury_the_unboosted(&mut self) {
        for seat in self.powerless() {
            self.die(seat, self.state.strength[seat], Cause::BoostEnded);
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
            self.onlooker.sees(Event::Inherited { seat, fruits });
        }
        true
    }

    fn lives(&self, seat: Seat) -> bool {
        self.state.alive.contains(seat)
    }

    #[cold]
    fn forfeit(&mut self, seat: Seat, order: Order) {
        self.forfeited.insert(seat);
        self.die(seat, self.state.strength[seat], Cause::IllegalOrder { order });
    }

    fn die(&mut self, seat: Seat, lost: i32, cause: Cause) {
        self.state.alive.remove(seat);
        self.state.strength[seat] -= lost;
        self.onlooker.sees(Event::Died { seat, cell: self.state.cells[seat], lost, cause });
    }

    /// The living who do not stand alone.
    #[inline(always)]
    fn crowd(&self) -> SeatSet {
        SeatSet::from_fn(|seat| self.lives(seat) && self.state.standing_on(self.state.cells[seat]).len() > 1)
    }

    /// The living without strength.
    #[inline(always)]
    fn powerless(&self) -> impl Iterator<Item = Seat> + use<O> {
        SeatSet::from_fn(|seat| self.state.strength[seat] <= 0).and(self.state.alive).iter()
    }

    /// Ruling light-on-the-forfeited: who of this turn's forfeited can be hit all the same.
    #[cold]
    fn forfeited_but_exposed(&self) -> SeatSet {
        match self.arena.settings().light_on_the_forfeited {
            LightOnTheForfeited::Sample => SeatSet::EMPTY,
            LightOnTheForfeited::Judge => {
                SeatSet::from_fn(|seat| !self.state.standing_on(self.state.cells[seat]).is_empty()).and(self.forfeited)
            }
            LightOnTheForfeited::Prose => self.forfeited,
        }
    }

    /// Ruling light-rounds-toward-zero: victim and shooter are each rounded by themselves.
    #[inline(always)]
    fn hit(&mut self, shooter: Seat, victim: Seat) {
        let halves = 3 * self.arena.settings().skill_cost;
        let strength = &mut self.state.strength;
        strength[victim] = plus_halves(strength[victim], -halves);
        strength[shooter] = plus_halves(strength[shooter], halves);
        self.hit_by[victim].insert(shooter);
        self.onlooker.sees(Event::Hit {
            shooter,
            victim,
            shooter_strength: strength[shooter],
            victim_strength: strength[victim],
        });
    }
}
