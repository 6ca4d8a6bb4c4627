//! The random numbers of glibc's `srand` and `rand`, from which Botzone's judge generates its maps.
//!
//! This generator makes 31 numbers at a time, in place. The plain one, a number at a time, is `glibc/reference.rs`; tests compare
//! them.

mod jump;
#[cfg(test)]
pub(crate) mod reference;

/// The distance of the older summand: glibc's default generator is its `TYPE_3`, of degree 31 and separation 3.
const DEGREE: usize = 31;

/// The distance of the newer summand.
const SEPARATION: usize = 3;

/// How many times 31 numbers `srand` discards, to mix the words of the seed before the first draw.
const WARM_UP_ROUNDS: usize = 10;

/// glibc's additive feedback generator: each number is the sum of those 31 and 3 places before it.
///
/// The C library's own is global to the process and differs between platforms.
#[derive(Debug, Clone)]
pub(crate) struct GlibcRand {
    /// The last 31 numbers, oldest first. Unsigned, because the sums wrap.
    numbers: [u32; DEGREE],
    /// How many of them have been drawn.
    drawn: usize,
}

impl GlibcRand {
    /// Returns the generator in the state after `srand(seed)`.
    pub(crate) fn new(seed: i32) -> Self {
        let mut rand = Self { numbers: seed_words(seed), drawn: DEGREE };
        // The word that glibc replaces first becomes the oldest; the three before it count as the newest.
        rand.numbers.rotate_left(SEPARATION);
        for _ in 0..WARM_UP_ROUNDS {
            next_round(&mut rand.numbers);
        }
        rand
    }

    /// Returns `rand()`, a number below 2³¹.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> u32 {
        if self.drawn == DEGREE {
            next_round(&mut self.numbers);
            self.drawn = 0;
        }
        let number = self.numbers[self.drawn];
        self.drawn += 1;
        // glibc drops the lowest bit, which is the least random.
        number >> 1
    }

    /// Returns `RB(from, to)`: a number from `from` to below `to`, slightly biased as Botzone's is.
    #[inline(always)]
    pub(crate) fn below(&mut self, from: u32, to: u32) -> u32 {
        self.next() % (to - from) + from
    }

    /// Returns `RB(0, to)` if `is_drawn`, and otherwise any number, without drawing one.
    #[inline(always)]
    pub(crate) fn below_if(&mut self, is_drawn: bool, to: u32) -> u32 {
        if self.drawn == DEGREE {
            next_round(&mut self.numbers);
            self.drawn = 0;
        }
        let number = self.numbers[self.drawn];
        self.drawn += usize::from(is_drawn);
        (number >> 1) % to
    }

    /// Draws this many numbers and drops them.
    pub(crate) fn skip(&mut self, mut count: usize) {
        while count >= jump::PLACES {
            jump::jump(&mut self.numbers);
            count -= jump::PLACES;
        }
        self.drawn += count;
        while self.drawn > DEGREE {
            next_round(&mut self.numbers);
            self.drawn -= DEGREE;
        }
    }
}

/// Replaces all numbers by the next 31.
#[inline(never)]
fn next_round(numbers: &mut [u32; DEGREE]) {
    // Three sums in registers, since each number depends on the one three places before.
    let mut sums = [numbers[28], numbers[29], numbers[30]];
    let (triples, last) = numbers.as_chunks_mut::<SEPARATION>();
    for triple in triples {
        for (number, sum) in triple.iter_mut().zip(&mut sums) {
            *sum = sum.wrapping_add(*number);
            *number = *sum;
        }
    }
    last[0] = last[0].wrapping_add(sums[0]);
}

/// The modulus of the words that `srand` makes, 2³¹ − 1.
const MODULUS: u64 = i32::MAX as u64;

/// Returns the words that `srand` fills its state with: each is 16807 times the one before, modulo 2³¹ − 1.
fn seed_words(seed: i32) -> [u32; DEGREE] {
    // Zero would only produce zeros.
    let seed = if seed == 0 { 1 } else { seed };
    // The first word is the seed as it is. The others do not depend on each other, since powers of the factor are known.
    let residue = i64::from(seed).rem_euclid(MODULUS as i64) as u64;
    let mut words = POWERS.map(|power| {
        let product = residue * u64::from(power);
        let sum = (product & MODULUS) + (product >> 31);
        (if sum >= MODULUS { sum - MODULUS } else { sum }) as u32
    });
    words[0] = seed.cast_unsigned();
    words
}

/// The powers of 16807 modulo 2³¹ − 1.
static POWERS: [u32; DEGREE] = {
    let mut powers = [1; DEGREE];
    let mut place = 1;
    while place < DEGREE {
        powers[place] = (powers[place - 1] as u64 * 16_807 % MODULUS) as u32;
        place += 1;
    }
    powers
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference() {
        let edges = [i32::MIN, i32::MIN + 1, -1, 0, 1, 2, i32::MAX - 1, i32::MAX];
        let others = (0..20_000).map(|number: i32| number.wrapping_mul(0x9e37_79b1_u32.cast_signed()));
        for seed in edges.into_iter().chain(others) {
            let (mut fast, mut plain) = (GlibcRand::new(seed), reference::GlibcRand::new(seed));
            for place in 0..100 {
                assert_eq!(fast.next(), plain.next(), "seed {seed}, number {place}");
            }
        }
    }

    #[test]
    fn skipped_numbers_are_those_not_drawn() {
        for before in [0, 1, 30, 31, 32, 61] {
            for count in [0, 1, 30, 31, 32, 62, 1953, 1983, 1984, 1985, 2002, 2015, 4004, 10_000] {
                let mut fast = GlibcRand::new(7);
                let mut plain = reference::GlibcRand::new(7);
                for _ in 0..before {
                    assert_eq!(fast.next(), plain.next());
                }
                fast.skip(count);
                (0..count).for_each(|_| _ = plain.next());
                for place in 0..100 {
                    assert_eq!(fast.next(), plain.next(), "{before} drawn, {count} skipped, number {place}");
                }
            }
        }
    }

    #[test]
    fn below_keeps_within_its_bounds() {
        let mut rand = GlibcRand::new(1);
        let drawn: Vec<u32> = (0..5).map(|_| rand.below(6, 12)).collect();
        // The remainders by 6 of seed 1's first numbers, and 6.
        assert_eq!(drawn, [7, 10, 9, 7, 11]);
    }
}
