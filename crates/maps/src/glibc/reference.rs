//! glibc's `srand` and `rand` in plain steps: the reference of the generator in `glibc.rs`.

/// The distance of the older summand: glibc's default generator is its `TYPE_3`, of degree 31 and separation 3.
const DEGREE: usize = 31;

/// The distance of the newer summand.
const SEPARATION: usize = 3;

/// The number of values that `srand` discards, to mix the words of the seed before the first draw.
const WARM_UP: usize = 10 * DEGREE;

/// glibc's additive feedback generator: each number is the sum of those 31 and 3 places before it.
///
/// The C library's own is global to the process and differs between platforms.
#[derive(Debug, Clone)]
pub(crate) struct GlibcRand {
    /// The last 31 numbers, as a ring. Unsigned, because the sums wrap.
    state: [u32; DEGREE],
    /// The index of the oldest, which the next number replaces.
    oldest: usize,
}

impl GlibcRand {
    /// Returns the generator in the state after `srand(seed)`.
    pub(crate) fn new(seed: i32) -> Self {
        let mut rand = Self {
            state: seed_words(seed),
            // The word that glibc replaces first; the three before it count as the newest.
            oldest: SEPARATION,
        };
        for _ in 0..WARM_UP {
            rand.next();
        }
        rand
    }

    /// Returns `rand()`, a number below 2³¹.
    pub(crate) fn next(&mut self) -> u32 {
        let nearer = (self.oldest + DEGREE - SEPARATION) % DEGREE;
        let number = self.state[self.oldest].wrapping_add(self.state[nearer]);
        self.state[self.oldest] = number;
        self.oldest = (self.oldest + 1) % DEGREE;
        // glibc drops the lowest bit, which is the least random.
        number >> 1
    }

    /// Returns `RB(from, to)`: a number from `from` to below `to`, slightly biased as Botzone's is.
    pub(crate) fn below(&mut self, from: usize, to: usize) -> usize {
        self.next() as usize % (to - from) + from
    }
}

/// Returns the words that `srand` fills its state with: each is 16807 times the one before, modulo 2³¹ − 1.
fn seed_words(seed: i32) -> [u32; DEGREE] {
    // Zero would only produce zeros.
    let mut word = if seed == 0 { 1 } else { seed };
    std::array::from_fn(|_| {
        let this = word;
        word = next_seed_word(word);
        this.cast_unsigned()
    })
}

/// Returns 16807 · `word` modulo 2³¹ − 1, in the steps by which glibc stays within 32 bits. One product in 64 bits would not
/// do, since the steps' result for a negative word is part of the sequence.
fn next_seed_word(word: i32) -> i32 {
    let (high, low) = (word / 127_773, word % 127_773);
    let product = 16_807 * low - 2_836 * high;
    if product < 0 { product + i32::MAX } else { product }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first five numbers and the thousandth, as a C program linked with glibc prints them.
    fn check(seed: i32, first: [u32; 5], thousandth: u32) {
        let mut rand = GlibcRand::new(seed);
        let numbers: Vec<u32> = (0..1000).map(|_| rand.next()).collect();
        assert_eq!(numbers[..5], first, "seed {seed}");
        assert_eq!(numbers[999], thousandth, "seed {seed}");
    }

    #[test]
    fn numbers_are_those_of_glibc() {
        check(1, [1804289383, 846930886, 1681692777, 1714636915, 1957747793], 1143565421);
        check(42, [71876166, 708592740, 1483128881, 907283241, 442951012], 896784309);
        check(12345678, [1077711487, 1795553069, 1809916401, 67351997, 301842236], 1740823626);
        check(i32::MAX, [1065668062, 2142264300, 1066566375, 1064012770, 2141034222], 1698607095);
    }

    #[test]
    fn negative_seeds_are_those_of_glibc() {
        check(-1, [254925627, 1205188300, 366127624, 1401405153, 76053476], 1892540048);
        check(-i32::MAX, [1081815585, 5219348, 1080917272, 1083470877, 6449426], 448876553);
        check(i32::MIN, [1336741213, 1210407648, 1447044896, 337392383, 82502902], 193932953);
    }

    #[test]
    fn seed_zero_acts_as_one() {
        check(0, [1804289383, 846930886, 1681692777, 1714636915, 1957747793], 1143565421);
    }
}
