//! Random numbers: a generator for each lane, and legal actions drawn at random.
//!
//! A game's generator is xoshiro128++ (Blackman and Vigna), seeded from 64 bits by SplitMix64 as in the reference programs. Each
//! turn takes two words, also for the dead: the 64 bits that [`State::random_actions`] takes, with the first word below the
//! second. So the lower half of the first word is for seat 0, the upper half for seat 1, and the halves of the second word are
//! for seats 2 and 3.

use pacman2_rules::{Action, BySeat, Maze, State};

use crate::lanes::{Column, LANES, Lanes, Words, word_index};

/// The random number generator of one game, of which [`Games`](crate::Games) draw.
///
/// ```
/// use pacman2_batch::GameRng;
///
/// let (mut rng, mut same) = (GameRng::new(1), GameRng::new(1));
/// assert_eq!(rng.word(), 0x7ff7_8de4);
/// assert_eq!(same.word(), 0x7ff7_8de4);
/// ```
#[derive(Clone, Debug)]
pub struct GameRng([u32; 4]);

impl GameRng {
    /// Makes the generator of that seed.
    #[inline]
    pub fn new(seed: u64) -> GameRng {
        let [first, second] = [splitmix64(seed, 1), splitmix64(seed, 2)];
        GameRng([first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32])
    }

    /// Makes the generator with these words as its state.
    pub(crate) fn from_words(words: [u32; 4]) -> GameRng {
        GameRng(words)
    }

    /// Returns the state.
    pub(crate) fn words(&self) -> [u32; 4] {
        self.0
    }

    /// Returns the next 32 bits.
    pub fn word(&mut self) -> u32 {
        let [a, b, c, d] = self.0;
        let (word, c_next, d_next) = (a.wrapping_add(d).rotate_left(7).wrapping_add(a), c ^ a, d ^ b);
        self.0 = [a ^ d_next, b ^ c_next, c_next ^ b << 9, d_next.rotate_left(11)];
        word
    }

    /// Draws a legal action for each living player, and `Stay` for the dead: [`State::random_actions`] with the next two words.
    ///
    /// ```
    /// use pacman2_batch::GameRng;
    /// use pacman2_rules::{Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     turn 1/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let actions = GameRng::new(7).actions(&maze, &state);
    /// assert!(state.legal_actions(&maze, Seat::S0).contains(&actions[Seat::S0]));
    /// ```
    pub fn actions(&mut self, maze: &Maze, state: &State) -> BySeat<Action> {
        state.random_actions(maze, u64::from(self.word()) | u64::from(self.word()) << 32)
    }
}

/// Returns the seed of game `number` in a run of that seed: output number `number` of the SplitMix64 generator.
///
/// ```
/// use pacman2_batch::seed_of_game;
///
/// assert_eq!([0, 1].map(|number| seed_of_game(0, number)), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
/// ```
#[inline]
pub fn seed_of_game(seed: u64, number: u64) -> u64 {
    splitmix64(seed, number.wrapping_add(1))
}

/// Maps a seed to an index below `count`. All indices are equally likely.
///
/// ```
/// use pacman2_batch::index_below;
///
/// assert_eq!([0, u64::MAX / 2, u64::MAX].map(|seed| index_below(seed, 10)), [0, 4, 9]);
/// ```
#[inline]
pub fn index_below(seed: u64, count: usize) -> usize {
    // The upper half of the product is below `count`.
    ((u128::from(seed) * count as u128) >> 64) as usize
}

/// Returns the output of that number, counted from 1, of the SplitMix64 generator with that seed.
#[inline]
fn splitmix64(seed: u64, number: u64) -> u64 {
    let bits = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The generators of 64 games, a column for each word of their state.
#[derive(Clone, Debug)]
pub(crate) struct LaneRngs([Column<u32>; 4]);

impl LaneRngs {
    pub(crate) fn new() -> LaneRngs {
        LaneRngs([Column([0; LANES]); 4])
    }

    /// Puts a generator into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, rng: &GameRng) {
        for (column, word) in self.0.iter_mut().zip(rng.0) {
            column.0[word_index(lane)] = word;
        }
    }

    /// Returns the generator in a lane.
    pub(crate) fn get(&self, lane: usize) -> GameRng {
        GameRng(self.0.each_ref().map(|column| column.0[word_index(lane)]))
    }

    /// Draws a fraction for each seat of each of these lanes.
    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&mut self, lanes: L) -> [<L::Words as Words>::Fractions; 4] {
        let drawn = by_seat!(quarter => {
            let words = by_seat!(word => lanes.load_words(&self.0[word], quarter));
            let (first, words) = next(words);
            let (second, words) = next(words);
            each_seat!(word { lanes.store_words(words[word], &mut self.0[word], quarter); });
            [first, second]
        });
        let [zero, one] = L::Words::halves(by_seat!(quarter => drawn[quarter][0]));
        let [two, three] = L::Words::halves(by_seat!(quarter => drawn[quarter][1]));
        [zero, one, two, three]
    }
}

#[cfg(feature = "observe")]
impl LaneRngs {
    /// Returns the next four words of each lane.
    #[inline(always)]
    pub(crate) fn four_words<L: Lanes>(&mut self, lanes: L) -> [[u32; 4]; LANES] {
        let mut columns = [Column([0; LANES]); 4];
        for quarter in 0..4 {
            let mut state = by_seat!(word => lanes.load_words(&self.0[word], quarter));
            for column in &mut columns {
                let (word, next) = next(state);
                lanes.store_words(word, column, quarter);
                state = next;
            }
            for (column, word) in self.0.iter_mut().zip(state) {
                lanes.store_words(word, column, quarter);
            }
        }
        let mut words = [[0; 4]; LANES];
        for (lane, words) in words.iter_mut().enumerate() {
            *words = by_seat!(seat => columns[seat].0[word_index(lane)]);
        }
        words
    }
}

/// Returns the next word of each generator, and the next state of the generators.
#[inline(always)]
fn next<W: Words>([a, b, c, d]: [W; 4]) -> (W, [W; 4]) {
    let word = (a + d).rotate_left::<7>() + a;
    let (c_next, d_next) = (c ^ a, d ^ b);
    (word, [a ^ d_next, b ^ c_next, c_next ^ b.shift_left::<9>(), d_next.rotate_left::<11>()])
}
