//! Chance: a generator for each lane, and legal orders drawn at random.
//!
//! A game's generator is xoshiro128++ (Blackman and Vigna), seeded from 64 bits by SplitMix64, as the reference programs do
//! it. Each turn takes two of its words, whoever still lives: the 64 bits that [`State::random_actions`] asks for, the first
//! word below the second. So the lower half of the first is for seat 0, its upper half for seat 1, the halves of the second
//! for seats 2 and 3.

use pacman2_rules::{Action, BySeat, Maze, State};

use crate::lanes::{Column, LANES, Lanes, Words, word_slot};

/// The generator of one game: the plain twin of what the lanes do.
#[derive(Clone, Debug)]
pub struct GameRng([u32; 4]);

impl GameRng {
    /// The generator of that seed.
    pub fn new(seed: u64) -> GameRng {
        let [first, second] = [scrambled(seed, 1), scrambled(seed, 2)];
        GameRng([first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32])
    }

    /// The generator that goes on from these four words, its state.
    pub(crate) fn from_words(words: [u32; 4]) -> GameRng {
        GameRng(words)
    }

    /// The four words from which it goes on.
    pub(crate) fn words(&self) -> [u32; 4] {
        self.0
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        let [a, b, c, d] = self.0;
        let (word, c_next, d_next) = (a.wrapping_add(d).rotate_left(7).wrapping_add(a), c ^ a, d ^ b);
        self.0 = [a ^ d_next, b ^ c_next, c_next ^ b << 9, d_next.rotate_left(11)];
        word
    }

    /// A legal order for each of the living, `Stay` for the dead: [`State::random_actions`] with the next two words.
    pub fn actions(&mut self, maze: &Maze, state: &State) -> BySeat<Action> {
        state.random_actions(maze, self.turn())
    }

    /// The bits of a turn: two words.
    #[inline]
    pub(crate) fn turn(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    /// The next half of a word for each seat.
    #[inline]
    pub(crate) fn halves(&mut self) -> [u16; 4] {
        let bits = self.turn();
        [0, 16, 32, 48].map(|shift| (bits >> shift) as u16)
    }
}

/// Which of so many a half of a word draws: the whole part of as much of them.
#[inline]
pub(crate) fn part(half: u16, count: usize) -> usize {
    (usize::from(half) * count) >> 16
}

/// The seed of the game of that number in a run of that seed: the number's turn in the sequence of SplitMix64.
pub fn seed_of_game(seed: u64, number: u64) -> u64 {
    scrambled(seed, number.wrapping_add(1))
}

/// The output of that number, counted from 1, of a SplitMix64 generator with that seed.
fn scrambled(seed: u64, number: u64) -> u64 {
    let bits = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The generators of 64 games, word by word.
#[derive(Clone, Debug)]
pub(crate) struct Chance([Column<u32>; 4]);

impl Chance {
    pub(crate) fn new() -> Chance {
        Chance([Column([0; LANES]); 4])
    }

    /// Gives a lane the generator of a new game.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, generator: &GameRng) {
        for (column, word) in self.0.iter_mut().zip(generator.0) {
            column.0[word_slot(lane)] = word;
        }
    }

    /// The generator of the game in a lane.
    pub(crate) fn generator(&self, lane: usize) -> GameRng {
        GameRng(self.0.each_ref().map(|column| column.0[word_slot(lane)]))
    }

    /// A fraction for each seat of each lane.
    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&mut self) -> [<L::Words as Words>::Fractions; 4] {
        let words = by_seat!(word => L::Words::load(&self.0[word]));
        let (first, words) = next(words);
        let (second, words) = next(words);
        for (column, word) in self.0.iter_mut().zip(words) {
            word.store(column);
        }
        let ([zero, one], [two, three]) = (first.halves(), second.halves());
        [zero, one, two, three]
    }
}

/// The next word of each generator, and what the generators are then.
#[inline(always)]
fn next<W: Words>([a, b, c, d]: [W; 4]) -> (W, [W; 4]) {
    let word = (a + d).rotated_left::<7>() + a;
    let (c_next, d_next) = (c ^ a, d ^ b);
    (word, [a ^ d_next, b ^ c_next, c_next ^ b.shifted_left::<9>(), d_next.rotated_left::<11>()])
}
