//! **The rules again, 64 games at a time.** The twelve steps of `pacman2_rules::State::play`, in the same order and under the same
//! names; that file says what they are, and a test holds each lane against it after every turn.
//!
//! What is an `if` there is a mask here: all lanes do everything, and masks say in which of them it counts. Where something
//! happens to few, a lane may be looked at by itself. In pseudo-code, each line for all lanes, with seats `i` and `j`:
//!
//! ```text
//! 1  for i: illegal[i]?  strength[i] = 0, cell[i] is marked dead, no order
//!           target[i] = table[order[i]][cell[i]]
//!           any j: target[i] == cell[j] and strength[j] > strength[i]?  target[i] = cell[i]
//! 2  cell = target
//! 3  met[i, j] = cell[i] == cell[j], both alive
//!    any lane met?  eaten[i] = any j: met and strength[j] > strength[i]
//!                   winners gain their share of the halves of the eaten; the eaten lose them, marked dead
//! 4  for i: shoots?  strength[i] -= cost
//!           for j: place[j] - first[i] < count[i]?  strength[j] -= loss, strength[i] += gain
//! 5  strength = max(strength, 0); 0?  marked dead
//! 6  lane by lane where generators are due: small |= births & !large
//! 7  found[i] = bit cell[i] of (small | large), cell[i] being nowhere for the dead and those in company
//!    lane by lane where found: take the fruit; small?  strength[i] += 1, else strength and boost
//! 8  alive[i] and boost[i] == 1?  strength[i] -= enhancement; boost[i] -= 1 down to 0
//! 9  as 5
//! 10, 12  turns_left -= 1; 0?  over
//! 11 not two alive?  over
//! ```

use std::array;

use crate::columns::{Columns, DEAD};
use crate::ground::{FIRST_LIGHT, Ground, INVALID};
use crate::lanes::{Bytes, Column, LANES, Lanes, Mask, SLOTS, Sets, Table, lanes_of, slot};
use crate::seats::{others, pair};

/// Whether orders can be illegal.
pub(crate) trait Actions {
    const MAY_BE_ILLEGAL: bool;
}

/// Orders drawn among the legal ones.
pub(crate) struct Legal;

impl Actions for Legal {
    const MAY_BE_ILLEGAL: bool = false;
}

/// Orders that somebody gave.
pub(crate) struct Given;

impl Actions for Given {
    const MAY_BE_ILLEGAL: bool = true;
}

/// Plays one turn of 64 games; returns in which of them the game goes on, and in which of these numbers are still small
/// enough for another turn. The orders of the dead must be to stay.
#[inline(always)]
pub(crate) fn play<L: Lanes, G: Ground<L>, O: Actions>(
    columns: &mut Columns,
    ground: &G,
    actions: [L::Bytes; 4],
) -> After<L::Mask> {
    let mut turn = Turn::<L, G>::new(columns, ground, actions);
    turn.check_actions::<O>(); // 1
    turn.move_all(); //            2
    turn.fight(); //               3
    turn.fire_lights::<O>(); //          4
    turn.remove_dead_after_lights::<O>(); //   5
    turn.spawn_fruit(); //          6
    turn.eat_fruit(); //           7
    turn.expire_boosts(); //     8
    turn.remove_dead_after_boosts::<O>(); // 9
    let goes_on = turn.count(); // 10 and 12
    let last = turn.last_one_stands(); // 11
    After { goes_on: goes_on & !last, fits: turn.fits() }
}

/// What there is to know after a turn.
pub(crate) struct After<M> {
    /// Where the game goes on.
    pub(crate) goes_on: M,
    /// Where all numbers will still fit after another turn.
    pub(crate) fits: M,
}

/// A turn in progress.
struct Turn<'a, L: Lanes, G: Ground<L>> {
    columns: &'a mut Columns,
    ground: &'a G,
    actions: [L::Bytes; 4],
    sights: [G::Sight; 4],
    /// With [`DEAD`] for the dead.
    cells: [L::Bytes; 4],
    /// Where everyone is about to be.
    targets: [L::Bytes; 4],
    strength: [L::Bytes; 4],
    boost_turns_left: [L::Bytes; 4],
    /// Who died this turn of an illegal order.
    forfeited: [L::Mask; 4],
    /// Which two of the living stand on the same cell after step 2, by [`pair`].
    met: [L::Mask; 6],
    /// Whether any two do, in any lane.
    somebody_met: bool,
}

impl<'a, L: Lanes, G: Ground<L>> Turn<'a, L, G> {
    #[inline(always)]
    fn new(columns: &'a mut Columns, ground: &'a G, actions: [L::Bytes; 4]) -> Turn<'a, L, G> {
        let cells = by_seat!(seat => L::Bytes::load(&columns.cells[seat]));
        let nobody = L::Mask::none();
        Turn {
            ground,
            actions,
            sights: ground.sights(&cells, &actions),
            cells,
            targets: cells,
            strength: by_seat!(seat => L::Bytes::load(&columns.strength[seat])),
            boost_turns_left: by_seat!(seat => L::Bytes::load(&columns.boost_turns_left[seat])),
            forfeited: [nobody; 4],
            met: [nobody; 6],
            somebody_met: false,
            columns,
        }
    }

    /// 1. Seat by seat: who gives an illegal order forfeits; who would walk to somebody stronger is frightened and stays.
    #[inline(always)]
    fn check_actions<O: Actions>(&mut self) {
        each_seat!(seat {
            if O::MAY_BE_ILLEGAL {
                self.forfeit(seat);
            }
            let target = self.ground.walk(self.cells[seat], self.actions[seat], self.sights[seat]);
            // The cells are those from before anyone moves; those of the dead and the forfeited equal no living one's.
            let frightened = any_other!(other of seat =>
                target.equals(self.cells[other]) & self.strength[other].above(self.strength[seat]));
            self.targets[seat] = L::Bytes::choose(frightened, self.cells[seat], target);
        });
    }

    /// Who gives an illegal order dies of it.
    #[inline(always)]
    fn forfeit(&mut self, seat: usize) {
        let actions = self.actions[seat];
        let walled = self.ground.walled(self.cells[seat], actions, self.sights[seat]);
        let shoots = !actions.below(L::Bytes::all(FIRST_LIGHT));
        let weak = !self.strength[seat].above(self.ground.terms().skill_cost);
        let invalid = !actions.below(L::Bytes::all(INVALID));
        let illegal = self.alive(seat) & (walled | shoots & weak | invalid);
        self.forfeited[seat] = illegal;
        self.actions[seat] = actions.only(!illegal);
        self.strength[seat] = self.strength[seat].only(!illegal);
        self.bury(seat, illegal);
    }

    /// 2. All who walk walk, at the same time.
    #[inline(always)]
    fn move_all(&mut self) {
        self.cells = self.targets;
    }

    /// 3. Where several stand on one cell, the strongest eat the weaker.
    #[inline(always)]
    fn fight(&mut self) {
        each_seat!(seat {
            each_other!(other of seat {
                if seat < other {
                    self.met[pair(seat, other)] = self.cells[seat].equals(self.cells[other]) & self.alive(seat);
                }
            });
        });
        let [a, b, c, d, e, f] = self.met;
        self.somebody_met = (a | b | c | d | e | f).any();
        if self.somebody_met {
            self.fight_out();
        }
    }

    /// The fights of step 3.
    #[inline(always)]
    fn fight_out(&mut self) {
        let met = self.met;
        let strength = self.strength;
        let halves = by_seat!(seat => strength[seat].halved());
        let eaten = by_seat!(seat =>
            any_other!(other of seat => met[pair(seat, other)] & strength[other].above(strength[seat])));
        each_seat!(seat {
            // Rulings halved-with-the-boost and loot-rounds-twice.
            let mut loot = L::Bytes::all(0);
            let (mut two, mut three) = (L::Mask::none(), L::Mask::none());
            each_other!(other of seat {
                let meets = met[pair(seat, other)];
                loot = loot.plus(meets & eaten[other], halves[other]);
                let shares = meets & !eaten[other];
                three = three | two & shares;
                two = two | shares;
            });
            let mut share = L::Bytes::choose(two, loot.halved(), loot);
            if three.any() {
                share = L::Bytes::choose(three, loot.look_up(&THIRDS), share);
            }
            self.strength[seat] = L::Bytes::choose(eaten[seat], strength[seat] - halves[seat], strength[seat] + share);
            self.actions[seat] = self.actions[seat].only(!eaten[seat]);
            self.bury(seat, eaten[seat]);
        });
    }

    /// 4. Lights: each shooter pays, and takes from everyone in its light's way. Nobody dies of it yet (ruling
    ///    light-counts-the-dying).
    #[inline(always)]
    fn fire_lights<O: Actions>(&mut self) {
        // Most maps have no need of the one, most games none of the other; to leave them out is 5 % faster.
        match (self.ground.shines_home(), self.ground.odd_cost()) {
            (false, None) => self.shine_in::<O, false, false>(L::Mask::none()),
            (true, None) => self.shine_in::<O, true, false>(L::Mask::none()),
            (_, Some(odd)) => self.shine_in::<O, true, true>(odd),
        }
    }

    #[inline(always)]
    fn shine_in<O: Actions, const HOME: bool, const ODD: bool>(&mut self, odd: L::Mask) {
        let exposed = if O::MAY_BE_ILLEGAL && self.somebody_forfeited() { self.cells_of_the_exposed() } else { self.cells };
        let spots = by_seat!(seat => self.ground.spot(exposed[seat]));
        let terms = self.ground.terms();
        each_seat!(shooter {
            let actions = self.actions[shooter];
            let shoots = L::Bytes::all(FIRST_LIGHT - 1).below(actions);
            let light = self.ground.light(self.cells[shooter], spots[shooter], actions, self.sights[shooter]);
            self.strength[shooter] = self.strength[shooter].minus(shoots, terms.skill_cost);
            each_other!(victim of shooter {
                let mut hit = self.ground.lit(light, spots[victim]);
                if HOME {
                    // Ruling light-never-hits-home: the shooter's own cell is never in its way.
                    hit = hit & !exposed[victim].equals(self.cells[shooter]);
                }
                self.strength[victim] = self.strength[victim].minus(hit, terms.hit_loss);
                self.strength[shooter] = self.strength[shooter].plus(hit, terms.hit_gain);
                if ODD {
                    // Both have been rounded down, which is away from zero where they are negative.
                    self.round_towards_zero(victim, hit & odd);
                    self.round_towards_zero(shooter, hit & odd);
                }
            });
        });
    }

    /// Ruling light-rounds-toward-zero: victim and shooter are each rounded by themselves.
    #[inline(always)]
    fn round_towards_zero(&mut self, seat: usize, rounded: L::Mask) {
        let negative = self.strength[seat].topmost();
        self.strength[seat] = self.strength[seat].plus(rounded & negative, L::Bytes::all(1));
    }

    /// 5. Whoever has no strength left after the lights dies with 0.
    #[inline(always)]
    fn remove_dead_after_lights<O: Actions>(&mut self) {
        self.bury_the_weak::<O>();
        if O::MAY_BE_ILLEGAL && self.somebody_forfeited() {
            let [_, prose] = self.ground.forfeit_ruling();
            each_seat!(seat {
                self.strength[seat] = self.strength[seat].only(!(self.forfeited[seat] & prose));
            });
        }
    }

    /// Whoever has no strength left dies with 0.
    ///
    /// The dead are not changed: they have some strength, or had none before. Only of the forfeited it may be negative, and
    /// it stays so.
    #[inline(always)]
    fn bury_the_weak<O: Actions>(&mut self) {
        let before = self.strength;
        each_seat!(seat {
            self.strength[seat] = before[seat].at_least_zero();
            self.bury(seat, self.strength[seat].equals(L::Bytes::all(0)));
        });
        if O::MAY_BE_ILLEGAL && self.somebody_forfeited() {
            each_seat!(seat {
                self.strength[seat] = L::Bytes::choose(self.forfeited[seat], before[seat], self.strength[seat]);
            });
        }
    }

    /// 6. In their turn the generators bear small fruit around them, wherever no fruit lies yet.
    #[inline(always)]
    fn spawn_fruit(&mut self) {
        let turns_left = L::Bytes::load(&self.columns.generator_turns_left) - L::Bytes::all(1);
        let due = turns_left.equals(L::Bytes::all(0));
        let turns_left = L::Bytes::choose(due, self.ground.terms().generator_interval, turns_left);
        turns_left.store(&mut self.columns.generator_turns_left);
        // Ruling bear-before-eating: also under players, but never on a generator nor on any fruit.
        for lane in lanes_of(due.bits()) {
            let Columns { small_fruits, large_fruits, .. } = &mut *self.columns;
            for (word, births) in self.ground.births(lane).into_iter().enumerate() {
                small_fruits[word].0[slot(lane)] |= births & !large_fruits[word].0[slot(lane)];
            }
        }
    }

    /// 7. Whoever stands alone on a fruit eats it.
    #[inline(always)]
    fn eat_fruit(&mut self) {
        let places = self.places_of_eaters();
        let eats = L::found(&self.all_fruits(), &places);
        each_seat!(seat {
            let large = self.take(places[seat], eats[seat]);
            self.strength[seat] = self.strength[seat].plus(eats[seat] & !large, L::Bytes::all(1));
            let unboosted = self.boost_turns_left[seat].equals(L::Bytes::all(0));
            self.strength[seat] = self.strength[seat].plus(large & unboosted, self.ground.terms().large_fruit_enhancement);
            self.boost_turns_left[seat] = self.boost_turns_left[seat].plus(large, self.ground.terms().large_fruit_duration);
        });
    }

    #[inline(always)]
    fn all_fruits(&self) -> Sets {
        let Columns { small_fruits, large_fruits, .. } = &*self.columns;
        [0, 1].map(|word| Column(array::from_fn(|slot| small_fruits[word].0[slot] | large_fruits[word].0[slot])))
    }

    /// Takes the fruit from under those who eat, and returns who of them eats a large one.
    #[inline(always)]
    fn take(&mut self, places: L::Bytes, eaters: L::Mask) -> L::Mask {
        let mut cells = Column([0; LANES]);
        places.store(&mut cells);
        let mut eaters_of_large = 0;
        for lane in lanes_of(eaters.bits()) {
            let cell = cells.0[lane];
            let (word, slot, fruit) = (usize::from(cell >> 6 & 1), usize::from(SLOTS.0[lane]) % LANES, 1 << (cell & 63));
            let small = &mut self.columns.small_fruits[word].0[slot];
            // Ruling both-fruits: the small one first.
            let is_large = *small & fruit == 0;
            *small &= !fruit;
            self.columns.large_fruits[word].0[slot] &= !(fruit * u64::from(is_large));
            eaters_of_large |= u64::from(is_large) << lane;
        }
        L::Mask::from_bits(eaters_of_large)
    }

    /// The cells of those who stand alone; where no fruit is for the others.
    #[inline(always)]
    fn places_of_eaters(&self) -> [L::Bytes; 4] {
        let nowhere = L::Bytes::all(FRUITLESS);
        let places = by_seat!(seat => L::Bytes::choose(self.cells[seat].topmost(), nowhere, self.cells[seat]));
        if !self.somebody_met {
            return places;
        }
        by_seat!(seat => {
            let in_company = any_other!(other of seat => self.met[pair(seat, other)] & self.alive(other));
            L::Bytes::choose(in_company, nowhere, places[seat])
        })
    }

    /// 8. Boosts have one turn less, and end.
    #[inline(always)]
    fn expire_boosts(&mut self) {
        each_seat!(seat {
            // Ruling boost-counts-the-turn-of-eating: also those of fruit eaten a moment ago.
            let (before, alive) = (self.boost_turns_left[seat], self.alive(seat));
            before.count_down(alive).store(&mut self.columns.boost_turns_left[seat]);
            let ending = alive & before.equals(L::Bytes::all(1));
            self.strength[seat] = self.strength[seat].minus(ending, self.ground.terms().large_fruit_enhancement);
        });
    }

    /// 9. Whoever has no strength left without its boost dies with 0.
    #[inline(always)]
    fn remove_dead_after_boosts<O: Actions>(&mut self) {
        // Nobody else can have lost any since step 5.
        self.bury_the_weak::<O>();
        each_seat!(seat {
            self.cells[seat].store(&mut self.columns.cells[seat]);
            self.strength[seat].store(&mut self.columns.strength[seat]);
        });
    }

    /// 10 and 12. One more turn has been played; returns where that was not the last one.
    #[inline(always)]
    fn count(&mut self) -> L::Mask {
        let turns_left = L::Bytes::load(&self.columns.turns_left) - L::Bytes::all(1);
        turns_left.store(&mut self.columns.turns_left);
        let counted = turns_left.equals(L::Bytes::all(0));
        let mut goes_on = !counted;
        for lane in lanes_of(counted.bits()) {
            // Long games are counted by up to 255 turns at a time.
            let beyond = &mut self.columns.turns_beyond[lane];
            let next = (*beyond).min(u8::MAX.into());
            *beyond -= next;
            self.columns.turns_left.0[lane] = next as u8;
            if next > 0 {
                goes_on = goes_on | L::Mask::from_bits(1 << lane);
            }
        }
        goes_on
    }

    /// 11. The game ends when at most one player lives. [`Columns::final_strength`] says what a sole survivor receives, for
    ///     it need not fit.
    #[inline(always)]
    fn last_one_stands(&self) -> L::Mask {
        let [a, b, c, d] = by_seat!(seat => self.alive(seat));
        !(a & b | c & d | (a | b) & (c | d))
    }

    /// Where there is not so much strength that a number might outgrow its byte in the next turn.
    #[inline(always)]
    fn fits(&self) -> L::Mask {
        let [a, b, c, d] = self.strength;
        let total = a.plus_at_most(b).plus_at_most(c.plus_at_most(d));
        !self.ground.terms().most_strength.below(total)
    }

    /// The dead are nowhere.
    #[inline(always)]
    fn bury(&mut self, seat: usize, dead: L::Mask) {
        self.cells[seat] = self.cells[seat] | L::Bytes::all(DEAD).only(dead);
    }

    #[inline(always)]
    fn alive(&self, seat: usize) -> L::Mask {
        !self.cells[seat].topmost()
    }

    #[inline(always)]
    fn somebody_forfeited(&self) -> bool {
        let [a, b, c, d] = self.forfeited;
        (a | b | c | d).any()
    }

    /// Everyone's cells, as if those of the forfeited whom lights hit all the same were alive (ruling
    /// light-on-the-forfeited).
    #[inline(always)]
    fn cells_of_the_exposed(&self) -> [L::Bytes; 4] {
        let [judge, prose] = self.ground.forfeit_ruling();
        by_seat!(seat => {
            let cell = self.cells[seat] & L::Bytes::all(!DEAD);
            let beside_the_living = any_other!(other of seat => cell.equals(self.cells[other]));
            let exposed = self.forfeited[seat] & (prose | judge & beside_the_living);
            L::Bytes::choose(exposed, cell, self.cells[seat])
        })
    }
}

/// A cell of no field: no fruit ever lies there.
const FRUITLESS: u8 = 127;

/// Thirds, rounded down.
static THIRDS: Table = {
    let mut thirds = [0; 128];
    let mut number = 0;
    while number < 128 {
        thirds[number] = number as u8 / 3;
        number += 1;
    }
    Table(thirds)
};
