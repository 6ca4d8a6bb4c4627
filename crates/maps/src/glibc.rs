//! The random numbers of glibc's `srand` and `rand`, from which Botzone's judge generates its maps.

/// The distance of the older summand: glibc's default generator is its `TYPE_3`, of degree 31 and separation 3.
const DEGREE: usize = 31;

/// The distance of the newer summand.
const SEPARATION: usize = 3;

/// How many numbers `srand` discards, to mix the words of the seed before the first draw.
const WARM_UP: usize = 10 * DEGREE;

/// glibc's additive feedback generator: each number is the sum of those 31 and 3 places before it.
///
/// The C library's own is global to the process and differs between platforms.
#[derive(Debug, Clone)]
pub(crate) struct GlibcRand {
    /// 31 numbers that follow each other. Unsigned, because the sums wrap.
    numbers: [u32; DEGREE],
    /// How many of them have been drawn.
    drawn: usize,
}

impl GlibcRand {
    /// Returns the generator in the state after `srand(seed)`.
    pub(crate) fn new(seed: i32) -> Self {
        let mut numbers = seed_words(seed);
        // The word that glibc replaces first becomes the oldest; the three before it count as the newest.
        numbers.rotate_left(SEPARATION);
        let mut rand = Self { numbers, drawn: DEGREE };
        rand.skip(WARM_UP);
        rand
    }

    /// Replaces all numbers by the next 31.
    fn make_numbers(&mut self) {
        let numbers = &mut self.numbers;
        for place in 0..SEPARATION {
            numbers[place] = numbers[place].wrapping_add(numbers[place + DEGREE - SEPARATION]);
        }
        for place in SEPARATION..DEGREE {
            numbers[place] = numbers[place].wrapping_add(numbers[place - SEPARATION]);
        }
        self.drawn = 0;
    }

    /// Returns `rand()`, a number below 2³¹.
    pub(crate) fn next(&mut self) -> u32 {
        if self.drawn == DEGREE {
            self.make_numbers();
        }
        let number = self.numbers[self.drawn];
        self.drawn += 1;
        // glibc drops the lowest bit, which is the least random.
        number >> 1
    }

    /// Draws as many numbers as the jump is made for and drops them.
    pub(crate) fn jump(&mut self, jump: &Jump) {
        let mut next = self.clone();
        next.make_numbers();
        let numbers = [self.numbers, next.numbers];
        self.numbers = [0; DEGREE];
        for (first, factor) in jump.factors.iter().enumerate() {
            for (sum, number) in self.numbers.iter_mut().zip(&numbers.as_flattened()[first..]) {
                *sum = sum.wrapping_add(number.wrapping_mul(*factor));
            }
        }
    }

    /// Draws this many numbers and drops them.
    fn skip(&mut self, count: usize) {
        let mut place = self.drawn + count;
        while place > DEGREE {
            self.make_numbers();
            place -= DEGREE;
        }
        self.drawn = place;
    }

    /// Returns `RB(from, to)`: a number from `from` to below `to`, slightly biased as Botzone's is.
    pub(crate) fn below(&mut self, from: usize, to: usize) -> usize {
        // The remainder of a number of 32 bits, which takes a processor less time than one of 64.
        (self.next() % (to - from) as u32) as usize + from
    }
}

/// How to drop a number of draws in a time that does not depend on it.
#[derive(Debug)]
pub(crate) struct Jump {
    /// Each number is the sum of 31 numbers, each multiplied by one of these. The first of them is as many places before it as there
    /// are draws.
    factors: [u32; DEGREE],
}

impl Jump {
    /// Makes a jump over this many draws.
    pub(crate) const fn new(draws: usize) -> Self {
        let mut factors = [0_u32; DEGREE];
        factors[0] = 1;
        let mut done = 0;
        while done < draws {
            // One place further, the 32nd number takes part; it is the sum of the first and the 29th.
            let last = factors[DEGREE - 1];
            let mut place = DEGREE - 1;
            while place > 0 {
                factors[place] = factors[place - 1];
                place -= 1;
            }
            factors[0] = last;
            factors[DEGREE - SEPARATION] = factors[DEGREE - SEPARATION].wrapping_add(last);
            done += 1;
        }
        Self { factors }
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
    fn skipped_numbers_are_those_not_drawn() {
        for before in [0, 1, 30, 31, 32] {
            for skipped in [0, 1, 30, 31, 32, 62, 2002] {
                let drawn = |count: usize| {
                    let mut rand = GlibcRand::new(7);
                    (0..count).for_each(|_| _ = rand.next());
                    rand
                };
                let next = |mut rand: GlibcRand| -> Vec<u32> { (0..40).map(|_| rand.next()).collect() };
                let (mut one, mut other) = (drawn(before), drawn(before));
                one.skip(skipped);
                other.jump(&Jump::new(skipped));
                let expected = next(drawn(before + skipped));
                assert_eq!((&next(one), &next(other)), (&expected, &expected), "{skipped} after {before}");
            }
        }
    }

    #[test]
    fn below_keeps_within_its_bounds() {
        let mut rand = GlibcRand::new(1);
        let drawn: Vec<usize> = (0..5).map(|_| rand.below(6, 12)).collect();
        // The remainders by 6 of seed 1's first numbers, and 6.
        assert_eq!(drawn, [7, 10, 9, 7, 11]);
    }

    #[test]
    fn seed_zero_acts_as_one() {
        check(0, [1804289383, 846930886, 1681692777, 1714636915, 1957747793], 1143565421);
    }
}
