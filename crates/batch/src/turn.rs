//! **The rules for 64 games at a time.** The twelve steps of `pacman2_rules::State::play`, in the same order and under the same
//! names. That file specifies them, and a test compares each lane with it after every turn.
//!
//! What is an `if` there is a mask here: every lane computes everything, and masks select the lanes in which it counts. Rare
//! events are handled lane by lane. In pseudocode, where each line stands for all lanes, and `i` and `j` are seats:
//!
//! ```text
//! 1  for i: illegal[i]?  strength[i] = 0, cell[i] is marked dead, no action
//!           target[i] = table[action[i]][cell[i]]
//!           any j: target[i] == cell[j] and strength[j] > strength[i]?  target[i] = cell[i]
//! 2  cell = target
//! 3  met[i, j] = cell[i] == cell[j], both alive
//!    any lane met?  eaten[i] = any j: met and strength[j] > strength[i]
//!                   winners gain their share of the halves of the eaten; the eaten lose them, marked dead
//! 4  for i: shoots?  strength[i] -= cost
//!           for j: coordinate[j] - first[i] < count[i]?  strength[j] -= loss, strength[i] += gain
//! 5  strength = max(strength, 0); 0?  marked dead
//! 6  where generators are due: small |= spawn_cells & !large
//! 7  found[i] = bit cell[i] of (small | large), for the living who stand alone
//!    lane by lane where found: take the fruit; small?  strength[i] += 1, else strength and boost
//! 8  alive[i] and boost[i] == 1?  strength[i] -= enhancement; boost[i] -= 1 down to 0
//! 9  as 5
//! 10, 12  turns_left -= 1; 0?  over
//! 11 fewer than two alive?  over
//! ```

use crate::lanes::{Bytes, Eaten, Lanes, Mask, NEVER_FRUIT, Table, lanes_of, set_index};
use crate::maze_tables::{Ahead, FIRST_SHOT, INVALID, LaneMazes, Light, coordinates};
use crate::seats::{others, pair};
use crate::soa_states::{DEAD, SoaStates};

/// Plays one turn of 64 games, or of a part of them. The actions of the dead must be to stay.
#[inline(always)]
pub(crate) fn play<L: Lanes>(
    lanes: L,
    states: &mut SoaStates,
    mazes: &LaneMazes,
    actions: [L::Bytes; 4],
) -> TurnOutcome<L::Mask> {
    let mut turn = Turn::new(lanes, states, mazes, actions);
    turn.check_actions(); //                 1
    turn.move_all(); //                      2
    turn.fight(); //                         3
    turn.fire_lights(); //                   4
    turn.remove_dead_after_lights(); //      5
    turn.spawn_fruit(); //                   6
    turn.eat_fruit(); //                     7
    turn.expire_boosts(); //                 8
    turn.remove_dead_after_boosts(); //      9
    let turns_left = turn.count_turn(); //   10 and 12
    let last = turn.last_one_stands(); //    11
    TurnOutcome { goes_on: turns_left & !last, fits: turn.fits() }
}

/// What a turn results in, beside the new states.
pub(crate) struct TurnOutcome<M> {
    /// Where the game goes on.
    pub(crate) goes_on: M,
    /// Where no number can outgrow its byte in another turn.
    pub(crate) fits: M,
}

/// A turn in progress.
struct Turn<'a, L: Lanes> {
    lanes: L,
    states: &'a mut SoaStates,
    mazes: &'a LaneMazes,
    actions: [L::Bytes; 4],
    ahead: [Ahead<L::Bytes, L::Mask>; 4],
    /// With [`DEAD`] for the dead.
    cells: [L::Bytes; 4],
    /// Where each player is about to be.
    targets: [L::Bytes; 4],
    strength: [L::Bytes; 4],
    boost_turns_left: [L::Bytes; 4],
    /// Players that died this turn of an illegal action.
    forfeited: [L::Mask; 4],
    /// Whether any has, in any lane.
    any_forfeited: bool,
    /// Which two of the living stand on the same cell after step 2, by [`pair`].
    met: [L::Mask; 6],
    /// Whether any two do, in any lane.
    any_met: bool,
}

impl<'a, L: Lanes> Turn<'a, L> {
    #[inline(always)]
    fn new(lanes: L, states: &'a mut SoaStates, mazes: &'a LaneMazes, actions: [L::Bytes; 4]) -> Turn<'a, L> {
        let cells = by_seat!(seat => lanes.load(&states.cells[seat]));
        Turn {
            lanes,
            mazes,
            actions,
            ahead: mazes.ahead(lanes, &cells, &actions),
            cells,
            targets: cells,
            strength: by_seat!(seat => lanes.load(&states.strength[seat])),
            boost_turns_left: by_seat!(seat => lanes.load(&states.boost_turns_left[seat])),
            forfeited: [lanes.none(); 4],
            any_forfeited: false,
            met: [lanes.none(); 6],
            any_met: false,
            states,
        }
    }

    /// 1. Seat by seat: a player with an illegal action forfeits; a player that would move to a stronger one is frightened and
    ///    stays.
    #[inline(always)]
    fn check_actions(&mut self) {
        self.forfeited = by_seat!(seat => self.is_illegal(seat));
        let [a, b, c, d] = self.forfeited;
        self.any_forfeited = (a | b | c | d).any();
        if self.any_forfeited {
            each_seat!(seat {
                self.forfeit(seat);
                self.choose_target(seat);
            });
        } else {
            each_seat!(seat { self.choose_target(seat); });
        }
    }

    /// Returns where the action is illegal. That of the dead, to stay, is not.
    #[inline(always)]
    fn is_illegal(&self, seat: usize) -> L::Mask {
        let actions = self.actions[seat];
        let walled = self.ahead[seat].hits_wall(actions);
        let weak = !self.strength[seat].gt_i8(self.mazes.ruleset(self.lanes).skill_cost);
        let shoots = !actions.lt_u8(self.lanes.splat(FIRST_SHOT));
        walled | shoots & weak | actions.equals(self.lanes.splat(INVALID))
    }

    /// Removes a player whose action is illegal.
    #[inline(always)]
    fn forfeit(&mut self, seat: usize) {
        let illegal = self.forfeited[seat];
        self.actions[seat] = self.actions[seat].masked(!illegal);
        self.strength[seat] = self.strength[seat].masked(!illegal);
        self.mark_dead(seat, illegal);
    }

    /// Finds out where a player is about to be.
    #[inline(always)]
    fn choose_target(&mut self, seat: usize) {
        let target = self.ahead[seat].walk(self.lanes, self.cells[seat], self.actions[seat]);
        // The cells are those from before anyone moves. Those of the dead and the forfeited equal no living player's.
        let frightened = any_other!(other of seat =>
            target.equals(self.cells[other]) & self.strength[other].gt_i8(self.strength[seat]));
        self.targets[seat] = L::Bytes::select(frightened, self.cells[seat], target);
    }

    /// 2. All moves happen at the same time.
    #[inline(always)]
    fn move_all(&mut self) {
        self.cells = self.targets;
    }

    /// 3. Where several players stand on one cell, the strongest eat the weaker.
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
        self.any_met = (a | b | c | d | e | f).any();
        if self.any_met {
            self.fight_out();
        }
    }

    /// Resolves the fights of step 3.
    #[inline(always)]
    fn fight_out(&mut self) {
        let met = self.met;
        let strength = self.strength;
        let halves = by_seat!(seat => strength[seat].halved());
        let eaten = by_seat!(seat =>
            any_other!(other of seat => met[pair(seat, other)] & strength[other].gt_i8(strength[seat])));
        let lost = by_seat!(seat => halves[seat].masked(eaten[seat]));
        each_seat!(seat {
            // Rulings halved-with-the-boost and loot-rounds-twice.
            let mut loot = self.lanes.splat(0);
            let (mut two, mut three) = (self.lanes.none(), self.lanes.none());
            each_other!(other of seat {
                let meets = met[pair(seat, other)];
                loot = loot.masked_add(meets, lost[other]);
                let shares = meets & !eaten[other];
                three = three | two & shares;
                two = two | shares;
            });
            let mut share = L::Bytes::select(two, loot.halved(), loot);
            if three.any() {
                share = L::Bytes::select(three, loot.look_up(&THIRDS), share);
            }
            self.strength[seat] = (strength[seat] - lost[seat]).masked_add(!eaten[seat], share);
            self.actions[seat] = self.actions[seat].masked(!eaten[seat]);
            self.mark_dead(seat, eaten[seat]);
        });
    }

    /// 4. Lights: each shooter pays, and takes from every player that its light reaches. No player dies of it yet
    ///    (ruling light-counts-the-dying).
    #[inline(always)]
    fn fire_lights(&mut self) {
        let exposed = if self.any_forfeited { self.exposed_cells() } else { self.cells };
        let lights = Lights {
            lanes: self.lanes,
            mazes: self.mazes,
            coordinates: by_seat!(seat => coordinates(self.lanes, exposed[seat])),
            actions: self.actions,
            ahead: self.ahead,
        };
        // Most rulesets need no rounding.
        match self.mazes.odd_skill_cost(self.lanes) {
            None => each_seat!(shooter { lights.fire(&mut self.strength, shooter); }),
            Some(odd) => {
                // What its loop indexes is in memory: without this copy, all turns would write it there.
                let lights = Lights { ..lights };
                lights.fire_rounded(&mut self.strength, odd);
            }
        }
    }

    /// 5. Players without strength after the lights die with strength 0.
    #[inline(always)]
    fn remove_dead_after_lights(&mut self) {
        self.remove_dead();
        if self.any_forfeited {
            let [_, prose] = self.mazes.forfeit_rulings(self.lanes);
            each_seat!(seat {
                self.strength[seat] = self.strength[seat].masked(!(self.forfeited[seat] & prose));
            });
        }
    }

    /// Lets players without strength die with strength 0.
    ///
    /// Players that are dead already keep theirs, which is not negative. Only that of the forfeited may be, and stays so.
    #[inline(always)]
    fn remove_dead(&mut self) {
        let before = self.strength;
        each_seat!(seat {
            self.strength[seat] = before[seat].max_zero_i8();
            self.mark_dead(seat, self.strength[seat].equals(self.lanes.splat(0)));
        });
        if self.any_forfeited {
            each_seat!(seat {
                self.strength[seat] = L::Bytes::select(self.forfeited[seat], before[seat], self.strength[seat]);
            });
        }
    }

    /// 6. When they are due, generators spawn small fruit around them, wherever there is no fruit yet.
    #[inline(always)]
    fn spawn_fruit(&mut self) {
        let turns_left = self.lanes.load(&self.states.generator_turns_left) - self.lanes.splat(1);
        let due = turns_left.equals(self.lanes.splat(0));
        let turns_left = L::Bytes::select(due, self.mazes.ruleset(self.lanes).generator_interval, turns_left);
        self.lanes.store(turns_left, &mut self.states.generator_turns_left);
        let SoaStates { small_fruits, large_fruits, .. } = &mut *self.states;
        for lane in lanes_of(self.lanes.bits(due)) {
            // Ruling bear-before-eating: also under players, but never on a generator nor on any fruit.
            for (word, cells) in self.mazes.spawn_cells[lane].into_iter().enumerate() {
                small_fruits[word].0[set_index(lane)] |= cells & !large_fruits[word].0[set_index(lane)];
            }
        }
    }

    /// 7. Players that stand alone on a fruit eat it.
    #[inline(always)]
    fn eat_fruit(&mut self) {
        let cells = self.cells_of_eaters();
        let SoaStates { small_fruits, large_fruits, .. } = &mut *self.states;
        let eaten = self.lanes.take_fruit(small_fruits, large_fruits, &cells);
        let ruleset = self.mazes.ruleset(self.lanes);
        each_seat!(seat {
            let Eaten { small, large } = eaten[seat];
            self.strength[seat] = self.strength[seat].masked_add(small, self.lanes.splat(1));
            let unboosted = self.boost_turns_left[seat].equals(self.lanes.splat(0));
            self.strength[seat] = self.strength[seat].masked_add(large & unboosted, ruleset.large_fruit_enhancement);
            self.boost_turns_left[seat] = self.boost_turns_left[seat].masked_add(large, ruleset.large_fruit_duration);
        });
    }

    /// Returns the cells of players that stand alone, and a cell without fruit for the others.
    #[inline(always)]
    fn cells_of_eaters(&self) -> [L::Bytes; 4] {
        let no_fruit = self.lanes.splat(NEVER_FRUIT);
        let cells = by_seat!(seat => L::Bytes::select(self.cells[seat].sign_mask(), no_fruit, self.cells[seat]));
        if !self.any_met {
            return cells;
        }
        by_seat!(seat => {
            let in_company = any_other!(other of seat => self.met[pair(seat, other)] & self.alive(other));
            L::Bytes::select(in_company, no_fruit, cells[seat])
        })
    }

    /// 8. Boosts count down, and end.
    #[inline(always)]
    fn expire_boosts(&mut self) {
        let enhancement = self.mazes.ruleset(self.lanes).large_fruit_enhancement;
        each_seat!(seat {
            // Ruling boost-counts-the-turn-of-eating: this includes the boosts of fruit eaten a moment ago.
            let (before, alive) = (self.boost_turns_left[seat], self.alive(seat));
            self.lanes.store(before.masked_decrement(alive), &mut self.states.boost_turns_left[seat]);
            let ending = alive & before.equals(self.lanes.splat(1));
            self.strength[seat] = self.strength[seat].masked_sub(ending, enhancement);
        });
    }

    /// 9. Players without strength after their boost die with strength 0.
    #[inline(always)]
    fn remove_dead_after_boosts(&mut self) {
        // No other player can have lost strength since step 5.
        self.remove_dead();
        each_seat!(seat {
            self.lanes.store(self.cells[seat], &mut self.states.cells[seat]);
            self.lanes.store(self.strength[seat], &mut self.states.strength[seat]);
        });
    }

    /// 10 and 12. Counts the turn, and returns where it was not the last one.
    #[inline(always)]
    fn count_turn(&mut self) -> L::Mask {
        let turns_left = self.lanes.load(&self.states.turns_left) - self.lanes.splat(1);
        self.lanes.store(turns_left, &mut self.states.turns_left);
        let counted = turns_left.equals(self.lanes.splat(0));
        let mut goes_on = !counted;
        for lane in lanes_of(self.lanes.bits(counted)) {
            // Long games are counted by up to 255 turns at a time.
            let beyond = &mut self.states.turns_beyond[lane];
            let next = (*beyond).min(u8::MAX.into());
            *beyond -= next;
            self.states.turns_left.0[lane] = next as u8;
            if next > 0 {
                goes_on = goes_on | self.lanes.mask(1 << lane);
            }
        }
        goes_on
    }

    /// 11. The game ends when at most one player lives. [`SoaStates::final_strength`] adds what a sole survivor receives, which
    ///     may not fit a byte.
    #[inline(always)]
    fn last_one_stands(&self) -> L::Mask {
        let [a, b, c, d] = by_seat!(seat => self.alive(seat));
        !(a & b | c & d | (a | b) & (c | d))
    }

    /// Returns where the players together are weak enough that no number can outgrow its byte in the next turn.
    #[inline(always)]
    fn fits(&self) -> L::Mask {
        let [a, b, c, d] = self.strength;
        let total = a.saturating_add(b).saturating_add(c.saturating_add(d));
        !self.mazes.ruleset(self.lanes).max_total_strength.lt_u8(total)
    }

    /// Marks the cell of a player that has died, so that it equals no living player's.
    #[inline(always)]
    fn mark_dead(&mut self, seat: usize, dead: L::Mask) {
        self.cells[seat] = self.cells[seat] | self.lanes.splat(DEAD).masked(dead);
    }

    #[inline(always)]
    fn alive(&self, seat: usize) -> L::Mask {
        !self.cells[seat].sign_mask()
    }

    /// Returns the cells as if those players were alive that forfeited and are hit by lights all the same (ruling
    /// light-on-the-forfeited).
    #[inline(always)]
    fn exposed_cells(&self) -> [L::Bytes; 4] {
        let [judge, prose] = self.mazes.forfeit_rulings(self.lanes);
        by_seat!(seat => {
            let cell = self.cells[seat] & self.lanes.splat(!DEAD);
            let beside_the_living = any_other!(other of seat => cell.equals(self.cells[other]));
            let exposed = self.forfeited[seat] & (prose | judge & beside_the_living);
            L::Bytes::select(exposed, cell, self.cells[seat])
        })
    }
}

/// What the lights of step 4 depend on.
struct Lights<'a, L: Lanes> {
    lanes: L,
    mazes: &'a LaneMazes,
    /// Of the cells as lights see them.
    coordinates: [[L::Bytes; 2]; 4],
    actions: [L::Bytes; 4],
    ahead: [Ahead<L::Bytes, L::Mask>; 4],
}

impl<L: Lanes> Lights<'_, L> {
    /// Fires the light of one seat.
    #[inline(always)]
    fn fire(&self, strength: &mut [L::Bytes; 4], shooter: usize) {
        let (ruleset, light) = (self.mazes.ruleset(self.lanes), self.light(shooter));
        strength[shooter] = strength[shooter].masked_sub(self.shoots(shooter), ruleset.skill_cost);
        each_other!(victim of shooter {
            // Ruling light-never-hits-home: a light reaches at most the cell before the shooter's own.
            let hit = light.reaches(self.coordinates[victim]);
            // The cost is even, so that nothing is rounded and the loss is the gain.
            strength[victim] = strength[victim].masked_sub(hit, ruleset.hit_gain);
            strength[shooter] = strength[shooter].masked_add(hit, ruleset.hit_gain);
        });
    }

    /// Fires all lights if the skill cost is odd in some lanes. Such games are rare, so this loops over the seats: unrolled, it
    /// would take as long to compile as the rest of the turn.
    #[inline(always)]
    fn fire_rounded(&self, strength: &mut [L::Bytes; 4], odd: L::Mask) {
        let ruleset = self.mazes.ruleset(self.lanes);
        // What a loop indexes is in memory, so this is a copy.
        let mut rounded = *strength;
        for shooter in 0..4 {
            let light = self.light(shooter);
            rounded[shooter] = rounded[shooter].masked_sub(self.shoots(shooter), ruleset.skill_cost);
            for victim in others(shooter) {
                let hit = light.reaches(self.coordinates[victim]);
                let loss = rounded[victim].masked_sub(hit, ruleset.hit_loss);
                let gain = rounded[shooter].masked_add(hit, ruleset.hit_gain);
                // Ruling light-rounds-toward-zero: both have been rounded down, which is away from zero where they are
                // negative.
                let one = self.lanes.splat(1);
                rounded[victim] = loss.masked_add(hit & odd & loss.sign_mask(), one);
                rounded[shooter] = gain.masked_add(hit & odd & gain.sign_mask(), one);
            }
        }
        *strength = rounded;
    }

    #[inline(always)]
    fn shoots(&self, shooter: usize) -> L::Mask {
        self.lanes.splat(FIRST_SHOT - 1).lt_u8(self.actions[shooter])
    }

    #[inline(always)]
    fn light(&self, shooter: usize) -> Light<L::Bytes, L::Mask> {
        self.ahead[shooter].light(self.lanes, self.coordinates[shooter], self.actions[shooter])
    }
}

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
