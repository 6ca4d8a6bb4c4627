//! The random numbers of glibc's `srand` and `rand`, from which Botzone's judge generates its maps.
//!
//! This generator makes 31 numbers at a time, before they are drawn. The plain one, a number at a time, is `glibc/reference.rs`; tests
//! compare them.

mod jump;
mod recurrence;
#[cfg(test)]
pub(crate) mod reference;

pub(crate) use jump::PLACES as JUMP;
use recurrence::{DEGREE, SEPARATION, next_round};

/// How many times 31 numbers `srand` discards, to mix the words of the seed before the first draw.
const WARM_UP_ROUNDS: usize = 10;

/// How many numbers are kept at most.
const WINDOW: usize = 128;

/// glibc's additive feedback generator: each number is the sum of those 31 and 3 places before it.
///
/// The C library's own is global to the process and differs between platforms.
#[derive(Debug, Clone)]
pub(crate) struct GlibcRand {
    /// Numbers that follow each other, at least 31. Unsigned, because the sums wrap. Those that are not made have any value.
    numbers: [u32; WINDOW],
    /// How many of them have been drawn.
    drawn: usize,
    /// How many of them have been made.
    made: usize,
}

impl GlibcRand {
    /// Returns the generator in the state after `srand(seed)`.
    pub(crate) fn new(seed: i32) -> Self {
        let mut numbers = [0; _];
        // The word that glibc replaces first becomes the oldest; the three before it count as the newest.
        let mut words = seed_words(seed);
        words.rotate_left(SEPARATION);
        for _ in 0..WARM_UP_ROUNDS {
            next_round(&mut words);
        }
        numbers[..DEGREE].copy_from_slice(&words);
        Self { numbers, drawn: DEGREE, made: DEGREE }
    }

    /// Makes as many numbers as that, at most 70, for the next draws.
    #[inline(always)]
    pub(crate) fn prepare(&mut self, count: usize) {
        while self.made < self.drawn + count {
            self.make_round();
        }
    }

    /// Makes 31 numbers.
    #[inline(never)]
    fn make_round(&mut self) {
        if self.made + DEGREE > WINDOW {
            let oldest = self.drawn.min(self.made - DEGREE);
            self.numbers.copy_within(oldest..self.made, 0);
            self.drawn -= oldest;
            self.made -= oldest;
        }
        let (before, after) = self.numbers.split_at_mut(self.made);
        let (last, next) = (before.last_chunk(), after.first_chunk_mut());
        let (last, next): (&[u32; DEGREE], &mut [u32; DEGREE]) = last.zip(next).expect("31 numbers, and room for as many");
        *next = *last;
        next_round(next);
        self.made += DEGREE;
    }

    /// Returns `rand()`, a number below 2³¹. It must be [prepared](GlibcRand::prepare).
    #[inline(always)]
    pub(crate) fn next(&mut self) -> u32 {
        let number = self.peek();
        self.drawn += 1;
        number
    }

    /// Returns what [`next`](GlibcRand::next) would, without drawing it.
    #[inline(always)]
    fn peek(&self) -> u32 {
        debug_assert!(self.drawn < self.made, "a number is drawn that is not prepared");
        // glibc drops the lowest bit, which is the least random.
        self.numbers[self.drawn % WINDOW] >> 1
    }

    /// Returns `RB(from, to)`: a number from `from` to below `to`, slightly biased as Botzone's is.
    #[inline(always)]
    pub(crate) fn below(&mut self, from: u32, to: u32) -> u32 {
        self.next() % (to - from) + from
    }

    /// Returns `RB(0, to)`.
    #[inline(always)]
    pub(crate) fn below_bound(&mut self, to: Bound) -> u32 {
        to.remainder(self.next())
    }

    /// Returns `RB(0, to)` if `is_drawn`, and otherwise any number, without drawing one.
    #[inline(always)]
    pub(crate) fn below_if(&mut self, is_drawn: bool, to: Bound) -> u32 {
        let number = self.peek();
        self.drawn += usize::from(is_drawn);
        to.remainder(number)
    }

    /// Returns as bits which of this many draws of `RB(0, 4)` are 0.
    #[inline(always)]
    pub(crate) fn zeros_below_4(&mut self, count: usize) -> u32 {
        debug_assert!(self.drawn + count <= self.made, "numbers are drawn that are not prepared");
        let numbers = &self.numbers[self.drawn..][..count];
        self.drawn += count;
        numbers.iter().rev().fold(0, |zeros, number| zeros << 1 | u32::from(number >> 1 & 3 == 0))
    }

    /// Draws [`JUMP`] numbers and drops them.
    pub(crate) fn jump(&mut self) {
        self.prepare(DEGREE);
        jump::jump(&mut self.numbers, self.drawn);
        (self.drawn, self.made) = (0, DEGREE);
    }
}

/// A bound of random numbers, 2 to 8: the remainder by it takes two products instead of a division.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    bound: u32,
    /// 2³⁴ divided by the bound, rounded up.
    reciprocal: u64,
}

impl Bound {
    pub(crate) const fn new(bound: u32) -> Bound {
        Bound { bound, reciprocal: (1_u64 << 34).div_ceil(bound as u64) }
    }

    /// Returns the remainder of a number below 2³¹.
    #[inline(always)]
    fn remainder(self, number: u32) -> u32 {
        // The reciprocal is too large by less than 1, so the quotient by less than an eighth: less than is missing to the next whole number.
        number - ((u64::from(number) * self.reciprocal) >> 34) as u32 * self.bound
    }
}

/// The modulus of the words that `srand` makes, 2³¹ − 1.
const MODULUS: u32 = i32::MAX as u32;

/// Returns the words that `srand` fills its state with: each is 16807 times the one before, modulo 2³¹ − 1.
fn seed_words(seed: i32) -> [u32; DEGREE] {
    // Zero would only produce zeros.
    let seed = if seed == 0 { 1 } else { seed };
    // The first word is the seed as it is. The others do not depend on each other, since powers of the factor are known.
    let residue = i64::from(seed).rem_euclid(MODULUS.into()) as u64;
    let mut words = POWERS.map(|power| {
        let product = residue * u64::from(power);
        // Both halves are below the modulus or equal to it, and so is one of these: the other one is larger, or has wrapped around.
        let sum = (product as u32 & MODULUS) + (product >> 31) as u32;
        sum.min(sum.wrapping_sub(MODULUS))
    });
    words[0] = seed.cast_unsigned();
    words
}

/// The powers of 16807 modulo 2³¹ − 1.
static POWERS: [u32; DEGREE] = {
    let mut powers = [1; DEGREE];
    let mut place = 1;
    while place < DEGREE {
        powers[place] = (powers[place - 1] as u64 * 16_807 % MODULUS as u64) as u32;
        place += 1;
    }
    powers
};

#[cfg(test)]
mod tests {
    use super::*;

    fn next(rand: &mut GlibcRand) -> u32 {
        rand.prepare(1);
        rand.next()
    }

    #[test]
    fn numbers_are_those_of_the_reference() {
        let edges = [i32::MIN, i32::MIN + 1, -1, 0, 1, 2, i32::MAX - 1, i32::MAX];
        let others = (0..20_000).map(|number: i32| number.wrapping_mul(0x9e37_79b1_u32.cast_signed()));
        for seed in edges.into_iter().chain(others) {
            let (mut fast, mut plain) = (GlibcRand::new(seed), reference::GlibcRand::new(seed));
            for place in 0..150 {
                assert_eq!(next(&mut fast), plain.next(), "seed {seed}, number {place}");
            }
        }
    }

    #[test]
    fn prepared_numbers_are_those_of_the_reference() {
        let (mut fast, mut plain) = (GlibcRand::new(7), reference::GlibcRand::new(7));
        for count in (0..=70).chain((0..=70).rev()) {
            fast.prepare(count);
            for place in 0..count {
                assert_eq!(fast.next(), plain.next(), "number {place} of {count}");
            }
        }
    }

    #[test]
    fn skipped_numbers_are_those_not_drawn() {
        for before in [0, 1, 30, 31, 32, 61, 127, 128] {
            for jumps in 0..3 {
                let mut fast = GlibcRand::new(7);
                let mut plain = reference::GlibcRand::new(7);
                for _ in 0..before {
                    assert_eq!(next(&mut fast), plain.next());
                }
                (0..jumps).for_each(|_| fast.jump());
                (0..jumps * JUMP).for_each(|_| _ = plain.next());
                for place in 0..100 {
                    assert_eq!(next(&mut fast), plain.next(), "{before} drawn, {jumps} jumps, number {place}");
                }
            }
        }
    }

    #[test]
    fn zeros_are_those_of_single_draws() {
        for count in 0..=24 {
            let mut rand = GlibcRand::new(3);
            let mut other = rand.clone();
            for _ in 0..20 {
                rand.prepare(count);
                other.prepare(count);
                let zeros = (0..count).map(|place| u32::from(other.below(0, 4) == 0) << place).sum::<u32>();
                assert_eq!(rand.zeros_below_4(count), zeros, "{count} at a time");
            }
        }
    }

    #[test]
    fn remainders_by_bounds_are_those_of_division() {
        for bound in 2..=8 {
            let near = |number: u32| number.saturating_sub(20)..=(number + 20).min(u32::MAX >> 1);
            for number in near(0).chain(near(u32::MAX >> 2)).chain(near(u32::MAX >> 1)) {
                assert_eq!(Bound::new(bound).remainder(number), number % bound, "{number} % {bound}");
            }
        }
    }

    #[test]
    fn below_keeps_within_its_bounds() {
        let mut rand = GlibcRand::new(1);
        rand.prepare(5);
        let drawn: Vec<u32> = (0..5).map(|_| rand.below(6, 12)).collect();
        // The remainders by 6 of seed 1's first numbers, and 6.
        assert_eq!(drawn, [7, 10, 9, 7, 11]);
    }
}
