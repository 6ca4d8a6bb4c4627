//! Lanes in AVX-512: 64 bytes are one register, and a mask is one mask register.
//!
//! Needed beside the basic sets: VBMI, whose `vpermi2b` looks up 64 bytes at once in a table of 128, VBMI2, whose `vpshrdvw` shifts pairs
//! of words, BITALG, whose `vpshufbitqmb` tests 64 bits of eight words at once, and GFNI, whose `vgf2p8affineqb` reverses the bits of
//! bytes. AMD has all of them since Zen 4, Intel since Ice Lake.
//!
//! # Safety
//!
//! Only [`Avx512::detect`] makes an [`Avx512`], and only if the CPU has every feature listed in [`Avx512::run`]. Only the methods
//! of an `Avx512`, of [`Bytes`] and of [`Words`] make values of the last two types, whose fields are private to this file. So a
//! value of any of the three proves that the CPU has AVX-512, and this is what "proves AVX-512" means below.
//!
//! These methods are `#[inline(always)]` and have no target features of their own: they are inlined into [`Avx512::run`], which
//! has.

#![allow(unsafe_code, reason = "calls vector instructions; see Safety above")]

use std::arch::x86_64::*;
use std::hint;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Sub};

use super::Work;
use crate::lanes::{
    self, ALONG_COLUMNS, ALONG_ROWS, COLS, CellSets, CellTable, CheckedWalls, Column, Eaten, FIRST_COLUMN, LANES,
    LINES_PER_DIRECTION, Lanes, Pod, ROWS, SpawnCells, Table, TwoWayWalls, Walls, WallsByDirection, set_index, spawn_in_lanes,
};

/// A proof that the CPU has AVX-512 with the extensions needed here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Returns the proof if the CPU has all features.
    pub(crate) fn detect() -> Option<Avx512> {
        let detected = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Avx512(()))
    }

    /// Runs `work` in a function that is compiled for AVX-512.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi1,bmi2,popcnt")]
        fn run_with_features<W: Work>(avx512: Avx512, work: W) -> W::Output {
            work.run(avx512)
        }
        // SAFETY: `detect` has found these features.
        unsafe { run_with_features(self, work) }
    }
}

impl Lanes for Avx512 {
    type Mask = Mask;
    type Bytes = Bytes;
    type Words = Words;
    type Part = Avx512;

    const TABLES_ARE_QUICK: bool = true;

    const MULTIPLIES_LONG_WORDS: bool = true;

    const MAX_SCALAR_GAMES: usize = 2;

    #[inline(always)]
    fn parts(self) -> impl Iterator<Item = Avx512> {
        [self].into_iter()
    }

    #[inline(always)]
    fn range(self) -> Range<usize> {
        0..LANES
    }

    #[inline(always)]
    fn splat(self, value: u8) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_set1_epi8(value as i8)) }
    }

    #[inline(always)]
    fn load(self, column: &Column<u8>) -> Bytes {
        Bytes(self.load_register(column, 0))
    }

    #[inline(always)]
    fn store(self, bytes: Bytes, column: &mut Column<u8>) {
        self.store_register(column, 0, bytes.0);
    }

    #[inline(always)]
    fn load_words(self, column: &Column<u32>, quarter: usize) -> Words {
        Words(self.load_register(column, quarter))
    }

    #[inline(always)]
    fn store_words(self, words: Words, column: &mut Column<u32>, quarter: usize) {
        self.store_register(column, quarter, words.0);
    }

    #[inline(always)]
    fn mask(self, bits: u64) -> Mask {
        Mask(bits)
    }

    #[inline(always)]
    fn bits(self, mask: Mask) -> u64 {
        mask.0
    }

    #[inline(always)]
    fn prefetch<T: ?Sized>(self, data: &T) {
        super::prefetch::prefetch(data);
    }

    #[inline(always)]
    fn look_up_cells(self, table: &CellTable, _: usize, cells: &[Bytes; 4]) -> [Bytes; 4] {
        let (first, second) = self.load_table(&table.bytes);
        // SAFETY: `self` proves AVX-512.
        unsafe {
            by_seat!(seat => {
                let cells = cells[seat].0;
                let living = !_mm512_movepi8_mask(cells);
                Bytes(_mm512_maskz_permutex2var_epi8(living, first, cells, second))
            })
        }
    }

    #[inline(always)]
    fn look_up_cells_twice(self, [table, other]: [&CellTable; 2], sixteens: usize, cells: &[Bytes; 4]) -> [[Bytes; 4]; 2] {
        [self.look_up_cells(table, sixteens, cells), self.look_up_cells(other, sixteens, cells)]
    }

    #[inline(always)]
    fn divided_by_eleven(self, cells: Bytes) -> [Bytes; 2] {
        [lanes::Bytes::look_up(cells, &ROWS), lanes::Bytes::look_up(cells, &COLS)]
    }

    #[inline(always)]
    fn coordinates(self, cells: Bytes) -> [Bytes; 2] {
        [lanes::Bytes::look_up(cells, &ALONG_ROWS), lanes::Bytes::look_up(cells, &ALONG_COLUMNS)]
    }

    #[inline(always)]
    fn by_game(self, columns: &[Column<u8>; 4]) -> Column<[u8; 4]> {
        let four = self.interleave_seats(&by_seat!(seat => self.load(&columns[seat])));
        let mut games = Column([[0; 4]; LANES]);
        // SAFETY: `self` proves AVX-512.
        unsafe {
            // Each register has four games of each sixteen, and is to have sixteen games.
            let [a, b, c, d] = four;
            let (ab, cd) = (_mm512_shuffle_i32x4::<0b01_00_01_00>(a, b), _mm512_shuffle_i32x4::<0b01_00_01_00>(c, d));
            self.store_register(&mut games, 0, _mm512_shuffle_i32x4::<0b10_00_10_00>(ab, cd));
            self.store_register(&mut games, 1, _mm512_shuffle_i32x4::<0b11_01_11_01>(ab, cd));
            let (ab, cd) = (_mm512_shuffle_i32x4::<0b11_10_11_10>(a, b), _mm512_shuffle_i32x4::<0b11_10_11_10>(c, d));
            self.store_register(&mut games, 2, _mm512_shuffle_i32x4::<0b10_00_10_00>(ab, cd));
            self.store_register(&mut games, 3, _mm512_shuffle_i32x4::<0b11_01_11_01>(ab, cd));
        }
        games
    }

    #[inline(always)]
    fn by_column(self, games: &[[u8; 4]; LANES]) -> [Column<u8>; 4] {
        let mut columns = [Column([0; LANES]); 4];
        // SAFETY: `self` proves AVX-512. The games are four registers long, and the loads need no alignment.
        unsafe {
            let games = games.as_ptr().cast::<__m512i>();
            // The four seats of four games in turn.
            let together = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
            let [a, b, c, d] = by_seat!(sixteen => _mm512_shuffle_epi8(_mm512_loadu_si512(games.add(sixteen)), together));
            // Register by register, and four games of each.
            let [first, second, third, fourth] = self.seats_of_pairs([a, b, c, d]);
            let in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            for (seat, bytes) in [first, second, third, fourth].into_iter().enumerate() {
                self.store_register(&mut columns[seat], 0, _mm512_permutexvar_epi32(in_order, bytes));
            }
        }
        columns
    }

    #[inline(always)]
    fn fraction(self, value: u16) -> [__m512i; 2] {
        // SAFETY: `self` proves AVX-512.
        unsafe { [_mm512_set1_epi16(value as i16); 2] }
    }

    #[inline(always)]
    fn contains(self, sets: &CellSets, cells: &[Bytes; 4]) -> [Mask; 4] {
        let by_game = self.duplicate_games(self.interleave_seats(cells));
        let mut answers = self.splat(0);
        for (eight, cells) in by_game.into_iter().enumerate() {
            answers = answers.with_answers_of(eight, self.contains_in_eight(2, sets, eight, cells));
        }
        self.masks_by_seat(answers)
    }

    #[inline(always)]
    fn spawn_fruit(self, words: usize, small: &mut CellSets, large: &CellSets, due: Mask, spawn_cells: SpawnCells<'_>) {
        let SpawnCells::Same(spawn_cells) = spawn_cells else {
            return spawn_in_lanes(small, large, due.0, spawn_cells);
        };
        // SAFETY: `self` proves AVX-512.
        unsafe {
            for eight in 0..8 {
                // In the order of `set_index`.
                let due = _pext_u64(due.0, 0x3_0003_0003_0003 << (2 * eight)) as __mmask8;
                for word in 0..words {
                    let spawn_cells = _mm512_set1_epi64(spawn_cells[word] as i64);
                    let (of_small, of_large) = (self.load_register(&small[word], eight), self.load_register(&large[word], eight));
                    // Small fruit, and where fruit spawns but no large one is.
                    let of_small = _mm512_mask_ternarylogic_epi64::<0xf2>(of_small, due, of_large, spawn_cells);
                    self.store_register(&mut small[word], eight, of_small);
                }
            }
        }
    }

    #[inline(always)]
    fn take_fruit(self, words: usize, small: &mut CellSets, large: &mut CellSets, cells: &[Bytes; 4]) -> [Eaten<Mask>; 4] {
        if words == 1 { self.take_in_words::<1>(small, large, cells) } else { self.take_in_words::<2>(small, large, cells) }
    }

    #[inline(always)]
    fn steps_to_wall(self, walls: Walls<'_>, lines: [Bytes; 4], positions: [Bytes; 4], lengths: [Bytes; 4]) -> [Bytes; 4] {
        match walls.two_way {
            Some(walls) => self.steps_to_two_way_wall(walls.checked(), lines, positions, lengths),
            None => self.steps_to_any_wall(walls.by_direction.checked(), lines, positions, lengths),
        }
    }
}

/// Where [`TwoWayWalls`] have the line of each direction. The highest bit is set where it is walked backward.
static TWO_WAY_LINES: Column<u8> = {
    const PER_DIRECTION: usize = LINES_PER_DIRECTION as usize;
    let mut lines = [0; LANES];
    let mut line = 0;
    while line < PER_DIRECTION {
        let (row, column) = (line as u8, FIRST_COLUMN + line as u8);
        lines[line] = column | 0x80;
        lines[PER_DIRECTION + line] = row;
        lines[2 * PER_DIRECTION + line] = column;
        lines[3 * PER_DIRECTION + line] = row | 0x80;
        line += 1;
    }
    Column(lines)
};

/// How many lines [`TwoWayWalls`] have room for: as many words as a register.
const LINES_OF_TWO_WAY_WALLS: u16 = 32;

/// The four words of each of two lanes that are side by side in a register, see [`Avx512::lines_by_lane`].
const MASKS_OF_TWO_LANES: [u32; 4] = [0xff, 0xff00, 0xff_0000, 0xff00_0000];

/// A mask, as bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask(u64);

impl BitAnd for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitand(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitor(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }
}

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        Mask(!self.0)
    }
}

impl lanes::Mask for Mask {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
}

/// 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(__m512i);

impl Add for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn add(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_add_epi8(self.0, other.0)) }
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn sub(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_sub_epi8(self.0, other.0)) }
    }
}

impl BitAnd for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitand(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_and_si512(self.0, other.0)) }
    }
}

impl BitOr for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitor(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_or_si512(self.0, other.0)) }
    }
}

impl BitXor for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitxor(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_xor_si512(self.0, other.0)) }
    }
}

impl Bytes {
    /// Returns the token from which these bytes were made.
    #[inline(always)]
    fn token(self) -> Avx512 {
        Avx512(())
    }

    #[inline(always)]
    fn splat(self, value: u8) -> Bytes {
        self.token().splat(value)
    }

    /// Adds the answers for eight games, a bit in each byte. In memory they would be read together while they are still on their way.
    #[inline(always)]
    fn with_answers_of(self, eight: usize, answers: Mask) -> Bytes {
        lanes::Bytes::masked_add(self, answers, self.splat(1 << eight))
    }
}

/// In which byte of collected answers is that for a seat of a lane. The bytes have the four seats of a game side by side, twice, and games
/// are in the order of [`set_index`].
static PLACES_OF_ANSWERS: [Column<u8>; 4] = {
    let mut places = [Column([0; LANES]); 4];
    let mut lane = 0;
    while lane < LANES {
        let mut seat = 0;
        while seat < 4 {
            places[seat].0[lane] = (set_index(lane) % 8 * 8 + seat) as u8;
            seat += 1;
        }
        lane += 1;
    }
    places
};

/// The bit of a lane in that byte.
static BITS_OF_ANSWERS: Column<u8> = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << (set_index(lane) / 8);
        lane += 1;
    }
    Column(bits)
};

impl lanes::Bytes for Bytes {
    type Mask = Mask;
    /// The fractions of even lanes and those of odd lanes.
    type Fractions = [__m512i; 2];

    #[inline(always)]
    fn select(mask: Mask, if_set: Bytes, if_clear: Bytes) -> Bytes {
        // SAFETY: `if_set` proves AVX-512.
        unsafe { Bytes(_mm512_mask_blend_epi8(mask.0, if_clear.0, if_set.0)) }
    }

    #[inline(always)]
    fn masked(self, mask: Mask) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_maskz_mov_epi8(mask.0, self.0)) }
    }

    #[inline(always)]
    fn masked_add(self, mask: Mask, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_mask_add_epi8(self.0, mask.0, self.0, other.0)) }
    }

    #[inline(always)]
    fn masked_sub(self, mask: Mask, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_mask_sub_epi8(self.0, mask.0, self.0, other.0)) }
    }

    #[inline(always)]
    fn saturating_add(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_adds_epu8(self.0, other.0)) }
    }

    #[inline(always)]
    fn saturating_sub(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_subs_epu8(self.0, other.0)) }
    }

    #[inline(always)]
    fn masked_decrement(self, mask: Mask) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_mask_subs_epu8(self.0, mask.0, self.0, _mm512_set1_epi8(1))) }
    }

    #[inline(always)]
    fn min_u8(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_min_epu8(self.0, other.0)) }
    }

    #[inline(always)]
    fn max_zero_i8(self) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_max_epi8(self.0, _mm512_setzero_si512())) }
    }

    #[inline(always)]
    fn equals(self, other: Bytes) -> Mask {
        // SAFETY: `self` proves AVX-512.
        unsafe { Mask(_mm512_cmpeq_epi8_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn lt_u8(self, other: Bytes) -> Mask {
        // SAFETY: `self` proves AVX-512.
        unsafe { Mask(_mm512_cmplt_epu8_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn gt_i8(self, other: Bytes) -> Mask {
        // SAFETY: `self` proves AVX-512.
        unsafe { Mask(_mm512_cmpgt_epi8_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn sign_mask(self) -> Mask {
        // SAFETY: `self` proves AVX-512.
        unsafe { Mask(_mm512_movepi8_mask(self.0)) }
    }

    #[inline(always)]
    fn look_up(self, table: &Table) -> Bytes {
        let (first, second) = self.token().load_table(table);
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_permutex2var_epi8(first, self.0, second)) }
    }

    #[inline(always)]
    fn look_up_16(self, table: &[u8; 16]) -> Bytes {
        // SAFETY: `self` proves AVX-512. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast::<__m128i>()));
            Bytes(_mm512_shuffle_epi8(table, self.0))
        }
    }

    #[inline(always)]
    fn high_nibble(self) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_srli_epi16::<4>(self.0)) & self.splat(0x0f) }
    }

    #[inline(always)]
    fn halved(self) -> Bytes {
        // The bit that enters from the byte above is the sign bit.
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(_mm512_srli_epi16::<1>(self.0)) & self.splat(0x7f) }
    }

    #[inline(always)]
    fn mul_hi(self, [of_even, of_odd]: &[__m512i; 2]) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            // Each sixteen bits hold the byte of an even lane, and above it the byte of an odd lane.
            let upper_bytes = _mm512_set1_epi16(0xff00_u16 as i16);
            let even = _mm512_andnot_si512(upper_bytes, self.0);
            let odd = _mm512_and_si512(upper_bytes, self.0);
            let even = _mm512_mulhi_epu16(even, *of_even);
            // 256 times the product has its integer part in the upper byte of the upper half.
            let odd = _mm512_mulhi_epu16(odd, *of_odd);
            Bytes(even) | Bytes(odd) & Bytes(upper_bytes)
        }
    }
}

/// The words of every fourth lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words(__m512i);

impl Add for Words {
    type Output = Words;
    #[inline(always)]
    fn add(self, other: Words) -> Words {
        // SAFETY: `self` proves AVX-512.
        unsafe { Words(_mm512_add_epi32(self.0, other.0)) }
    }
}

impl BitXor for Words {
    type Output = Words;
    #[inline(always)]
    fn bitxor(self, other: Words) -> Words {
        // SAFETY: `self` proves AVX-512.
        unsafe { Words(_mm512_xor_si512(self.0, other.0)) }
    }
}

impl lanes::Words for Words {
    type Fractions = [__m512i; 2];

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Words {
        // SAFETY: `self` proves AVX-512.
        unsafe { Words(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(BITS))) }
    }

    #[inline(always)]
    fn rotate_left<const BITS: i32>(self) -> Words {
        // SAFETY: `self` proves AVX-512.
        unsafe { Words(_mm512_rol_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn halves([a, b, c, d]: [Words; 4]) -> [[__m512i; 2]; 2] {
        let upper = 0xaaaa_aaaa;
        // SAFETY: `a` proves AVX-512.
        unsafe {
            let lower_halves = |even, odd| _mm512_mask_blend_epi16(upper, even, _mm512_slli_epi32::<16>(odd));
            let upper_halves = |even, odd| _mm512_mask_blend_epi16(upper, _mm512_srli_epi32::<16>(even), odd);
            [[lower_halves(a.0, c.0), lower_halves(b.0, d.0)], [upper_halves(a.0, c.0), upper_halves(b.0, d.0)]]
        }
    }
}

/// What the methods above are made of, register by register.
impl Avx512 {
    /// Loads the `register`-th 64 bytes of a column.
    #[inline(always)]
    fn load_register<T: Pod>(self, column: &Column<T>, register: usize) -> __m512i {
        assert!(64 * (register + 1) <= size_of::<Column<T>>());
        // SAFETY: `self` proves AVX-512. The bytes lie within the column, as asserted above. It is aligned to 64 bytes and has no
        // padding.
        unsafe { _mm512_load_si512(std::ptr::from_ref(column).cast::<__m512i>().add(register)) }
    }

    /// Stores the `register`-th 64 bytes of a column.
    #[inline(always)]
    fn store_register<T: Pod>(self, column: &mut Column<T>, register: usize, value: __m512i) {
        assert!(64 * (register + 1) <= size_of::<Column<T>>());
        // SAFETY: as in `load_register`; and any bits are a valid `T`, see `Pod`.
        unsafe { _mm512_store_si512(std::ptr::from_mut(column).cast::<__m512i>().add(register), value) }
    }

    /// Loads a table.
    #[inline(always)]
    fn load_table(self, table: &Table) -> (__m512i, __m512i) {
        let table = std::ptr::from_ref(table).cast::<__m512i>();
        // SAFETY: `self` proves AVX-512. A table is two registers long and aligned to 64.
        unsafe { (_mm512_load_si512(table), _mm512_load_si512(table.add(1))) }
    }

    /// [`Lanes::take_fruit`] for sets of one word or of two.
    #[inline(always)]
    fn take_in_words<const WORDS: usize>(
        self,
        small: &mut CellSets,
        large: &mut CellSets,
        cells: &[Bytes; 4],
    ) -> [Eaten<Mask>; 4] {
        let by_game = self.duplicate_games(self.interleave_seats(cells));
        let (mut in_small, mut in_large) = (self.splat(0), self.splat(0));
        // In a loop, the cells would be in memory.
        each_of!(eight in [0, 1, 2, 3, 4, 5, 6, 7] {
            let cells = by_game[eight];
            in_small = in_small.with_answers_of(eight, self.contains_in_eight(WORDS, small, eight, cells));
            in_large = in_large.with_answers_of(eight, self.contains_in_eight(WORDS, large, eight, cells));
            self.take_in_eight(WORDS, small, large, eight, cells);
        });
        let (in_small, in_large) = (self.masks_by_seat(in_small), self.masks_by_seat(in_large));
        by_seat!(seat => Eaten { small: in_small[seat], large: in_large[seat] & !in_small[seat] })
    }

    /// [`Lanes::contains`] for eight games, with the four seats of each game side by side, twice.
    #[inline(always)]
    fn contains_in_eight(self, words: usize, sets: &CellSets, eight: usize, cells: __m512i) -> Mask {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let high_cells = _mm512_set1_epi8(64);
            let in_high = _mm512_test_epi8_mask(cells, high_cells);
            let low = self.load_register(&sets[0], eight);
            let found_low = _mm512_mask_bitshuffle_epi64_mask(!in_high, low, cells);
            if words == 1 {
                return Mask(found_low);
            }
            let high = self.load_register(&sets[1], eight);
            let found_high = _mm512_mask_bitshuffle_epi64_mask(in_high, high, cells);
            Mask(found_low | found_high)
        }
    }

    /// Takes the fruit that is on these cells from the sets of eight games: a large one only where there is no small one.
    ///
    /// Bit `b` of byte `r` of a word is cell `8 r + b`. So the cells of a game are a product of matrices of bits: of the bytes of its seats, and
    /// of the bits in them.
    #[inline(always)]
    fn take_in_eight(self, words: usize, small: &mut CellSets, large: &mut CellSets, eight: usize, cells: __m512i) {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            // The first four bytes of a game are for the first word, the others for the second.
            let second_word = _mm512_set1_epi64(0x0808_0808_0000_0000);
            let bytes = _mm512_ternarylogic_epi64::<0x78>(second_word, _mm512_srli_epi16::<3>(cells), _mm512_set1_epi8(0xf));
            let of_byte = _mm512_shuffle_epi8(
                _mm512_broadcast_i32x4(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)),
                bytes,
            );
            let of_bit = _mm512_shuffle_epi8(
                _mm512_broadcast_i32x4(_mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, -128, 64, 32, 16, 8, 4, 2, 1)),
                cells,
            );
            // The products with this matrix are transposed, with the last seat first.
            let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
            let (of_byte, of_bit) =
                (_mm512_gf2p8affine_epi64_epi8::<0>(unit, of_byte), _mm512_gf2p8affine_epi64_epi8::<0>(unit, of_bit));
            for (word, seats) in [0xf0_u8, 0x0f].into_iter().enumerate().take(words) {
                let of_byte = _mm512_and_si512(of_byte, _mm512_set1_epi8(seats as i8));
                let taken = _mm512_gf2p8affine_epi64_epi8::<0>(of_byte, of_bit);
                let (of_small, of_large) = (self.load_register(&small[word], eight), self.load_register(&large[word], eight));
                self.store_register(&mut small[word], eight, _mm512_andnot_si512(taken, of_small));
                self.store_register(&mut large[word], eight, _mm512_ternarylogic_epi64::<0xd0>(of_large, of_small, taken));
            }
        }
    }

    /// Returns a mask for each seat from what [`Bytes::with_answers_of`] has collected.
    #[inline(always)]
    fn masks_by_seat(self, answers: Bytes) -> [Mask; 4] {
        by_seat!(seat => {
            let place = Bytes(self.load_register(&PLACES_OF_ANSWERS[seat], 0));
            // SAFETY: `self` proves AVX-512.
            unsafe {
                let answers = _mm512_permutexvar_epi8(place.0, answers.0);
                Mask(_mm512_test_epi8_mask(answers, self.load_register(&BITS_OF_ANSWERS, 0)))
            }
        })
    }

    /// Puts the four bytes of each game side by side, sixteen games to a register: the first register has the first four of each
    /// sixteen lanes, and so on.
    #[inline(always)]
    fn interleave_seats(self, bytes: &[Bytes; 4]) -> [__m512i; 4] {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let [Bytes(a), Bytes(b), Bytes(c), Bytes(d)] = *bytes;
            let (ab, cd) = (_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d));
            let (first, second) = (_mm512_unpacklo_epi16(ab, cd), _mm512_unpackhi_epi16(ab, cd));
            let (ab, cd) = (_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d));
            [first, second, _mm512_unpacklo_epi16(ab, cd), _mm512_unpackhi_epi16(ab, cd)]
        }
    }

    /// Repeats the four bytes of each game: eight games to a register, in the order of
    /// [`set_index`](crate::lanes::set_index).
    #[inline(always)]
    fn duplicate_games(self, four: [__m512i; 4]) -> [__m512i; 8] {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let [first, second, third, fourth] = four;
            let low = |four| _mm512_unpacklo_epi32(four, four);
            let high = |four| _mm512_unpackhi_epi32(four, four);
            [low(first), high(first), low(second), high(second), low(third), high(third), low(fourth), high(fourth)]
        }
    }

    /// [`Lanes::steps_to_wall`] where all walls block both ways. The walls of a lane are one register, so one instruction picks those of four
    /// lines for two lanes.
    #[inline(always)]
    fn steps_to_two_way_wall(
        self,
        walls: CheckedWalls<'_, TwoWayWalls>,
        lines: [Bytes; 4],
        positions: [Bytes; 4],
        lengths: [Bytes; 4],
    ) -> [Bytes; 4] {
        // SAFETY: `self` proves AVX-512. The walls of a lane are one register long and aligned to 64.
        unsafe {
            let table = self.load_register(&TWO_WAY_LINES, 0);
            // Odd lanes look in the second of two registers.
            let second_if_odd = Bytes(_mm512_set1_epi16((LINES_OF_TWO_WAY_WALLS << 8) as i16));
            let lines = by_seat!(seat => Bytes(_mm512_permutexvar_epi8(lines[seat].0, table)) | second_if_odd);
            let mut found = self.lines_by_lane(&lines);
            // Two lanes at a time, their line numbers are replaced by the walls of these lines. If the compiler knew the masks, it would make
            // them masks of words of 64 bits, and each lookup two instructions.
            let masks = hint::black_box(MASKS_OF_TWO_LANES);
            for (sixteen, of_two) in masks.into_iter().enumerate() {
                for (register, found) in found.iter_mut().enumerate() {
                    let [even, odd] = [0, 1].map(|odd| {
                        let walls = walls.of_lane(16 * sixteen + 2 * register + odd);
                        _mm512_load_si512(std::ptr::from_ref(walls).cast())
                    });
                    *found = _mm512_mask2_permutex2var_epi16(even, *found, of_two, odd);
                }
            }
            let (of_even, of_odd) = self.transpose_lanes(found);
            by_seat!(seat => {
                let line = lines[seat];
                let unused_bits = self.splat(16) - lengths[seat];
                let from = positions[seat] + lanes::Bytes::select(lanes::Bytes::sign_mask(line), unused_bits, self.splat(1));
                let backward = [_mm512_test_epi16_mask(line.0, _mm512_set1_epi16(0x80)), _mm512_movepi16_mask(line.0)];
                let even = self.with_reversed_words(of_even[seat], backward[0]);
                let odd = self.with_reversed_words(of_odd[seat], backward[1]);
                // Shifts read only four bits of these words.
                let even = self.steps_to_bit(even, from.0, unused_bits.0);
                let odd = self.steps_to_bit(odd, _mm512_srli_epi16::<8>(from.0), _mm512_srli_epi16::<8>(unused_bits.0));
                self.bytes_of_words([even, odd])
            })
        }
    }

    /// [`Lanes::steps_to_wall`] where walls may block one way only. The walls of a lane are one and a half registers long.
    #[inline(always)]
    fn steps_to_any_wall(
        self,
        walls: CheckedWalls<'_, WallsByDirection>,
        lines: [Bytes; 4],
        positions: [Bytes; 4],
        lengths: [Bytes; 4],
    ) -> [Bytes; 4] {
        // SAFETY: `self` proves AVX-512. The walls of a lane are one and a half registers long, and the loads need no alignment.
        unsafe {
            let mut found = self.lines_by_lane(&lines);
            for sixteen in 0..4 {
                for (register, found) in found.iter_mut().enumerate() {
                    for odd in 0..2 {
                        let walls: *const __m256i = std::ptr::from_ref(walls.of_lane(16 * sixteen + 2 * register + odd)).cast();
                        let (first, rest) = (_mm512_loadu_si512(walls.cast()), _mm256_loadu_si256(walls.add(2)));
                        let rest = _mm512_castsi256_si512(rest);
                        let of_lane = 0xf << (8 * sixteen + 4 * odd);
                        *found = _mm512_mask2_permutex2var_epi16(first, *found, of_lane, rest);
                    }
                }
            }
            let (of_even, of_odd) = self.transpose_lanes(found);
            by_seat!(seat => {
                let ([even_position, odd_position], [even_length, odd_length]) = (self.words(positions[seat]), self.words(lengths[seat]));
                let even = self.steps_in_words(of_even[seat], even_position, even_length);
                let odd = self.steps_in_words(of_odd[seat], odd_position, odd_length);
                self.bytes_of_words([even, odd])
            })
        }
    }

    /// Returns line numbers of sixteen bits, four to a lane. Register `r` has lanes 2r and 2r + 1 of each sixteen.
    #[inline(always)]
    fn lines_by_lane(self, lines: &[Bytes; 4]) -> [__m512i; 8] {
        let [a, b, c, d] = self.interleave_seats(lines);
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let zero = _mm512_setzero_si512();
            [
                _mm512_unpacklo_epi8(a, zero),
                _mm512_unpackhi_epi8(a, zero),
                _mm512_unpacklo_epi8(b, zero),
                _mm512_unpackhi_epi8(b, zero),
                _mm512_unpacklo_epi8(c, zero),
                _mm512_unpackhi_epi8(c, zero),
                _mm512_unpacklo_epi8(d, zero),
                _mm512_unpackhi_epi8(d, zero),
            ]
        }
    }

    /// Returns the bytes of even lanes and those of odd lanes, sixteen bits each.
    #[inline(always)]
    fn words(self, bytes: Bytes) -> [__m512i; 2] {
        // SAFETY: `self` proves AVX-512.
        unsafe { [_mm512_and_si512(bytes.0, _mm512_set1_epi16(0xff)), _mm512_srli_epi16::<8>(bytes.0)] }
    }

    /// Puts what [`Avx512::words`] has separated together again.
    #[inline(always)]
    fn bytes_of_words(self, [even, odd]: [__m512i; 2]) -> Bytes {
        // SAFETY: `self` proves AVX-512.
        unsafe { Bytes(even) | Bytes(_mm512_slli_epi16::<8>(odd)) }
    }

    /// Separates the words of even and of odd lanes, a register for each seat, from registers that have lanes 0 and 1, 2 and 3,
    /// and so on of each sixteen.
    #[inline(always)]
    fn transpose_lanes(self, [a, b, c, d, e, f, g, h]: [__m512i; 8]) -> ([__m512i; 4], [__m512i; 4]) {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let even = [
                _mm512_unpacklo_epi16(a, b),
                _mm512_unpacklo_epi16(c, d),
                _mm512_unpacklo_epi16(e, f),
                _mm512_unpacklo_epi16(g, h),
            ];
            let odd = [
                _mm512_unpackhi_epi16(a, b),
                _mm512_unpackhi_epi16(c, d),
                _mm512_unpackhi_epi16(e, f),
                _mm512_unpackhi_epi16(g, h),
            ];
            (self.seats_of_pairs(even), self.seats_of_pairs(odd))
        }
    }

    /// Separates the seats, from registers that have the four seats of two lanes in turn.
    #[inline(always)]
    fn seats_of_pairs(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let (first, last) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (next_first, next_last) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            [
                _mm512_unpacklo_epi64(first, last),
                _mm512_unpackhi_epi64(first, last),
                _mm512_unpacklo_epi64(next_first, next_last),
                _mm512_unpackhi_epi64(next_first, next_last),
            ]
        }
    }

    /// Counts the steps from these positions to the next wall in these words, sixteen bits each.
    #[inline(always)]
    fn steps_in_words(self, walls: __m512i, position: __m512i, length: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let ahead = _mm512_srlv_epi16(walls, position);
            let round = _mm512_sub_epi16(length, position);
            let round = _mm512_sllv_epi16(walls, round);
            self.bits_below_lowest(_mm512_or_si512(ahead, round))
        }
    }

    /// Counts the bits from a place in these words to the next one that is set. The words go on for ever, with as many bits unused as the
    /// length of a line is less than sixteen.
    #[inline(always)]
    fn steps_to_bit(self, words: __m512i, from: __m512i, unused_bits: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let next = _mm512_shrdv_epi16(words, _mm512_setzero_si512(), unused_bits);
            self.bits_below_lowest(_mm512_shrdv_epi16(words, next, from))
        }
    }

    /// Counts the bits below the lowest set bit of these words.
    #[inline(always)]
    fn bits_below_lowest(self, words: __m512i) -> __m512i {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let minus_one = _mm512_set1_epi16(-1);
            let below = _mm512_add_epi16(words, minus_one);
            let below = _mm512_andnot_si512(words, below);
            _mm512_popcnt_epi16(below)
        }
    }

    /// Reverses the bits of the words in the mask.
    #[inline(always)]
    fn with_reversed_words(self, words: __m512i, mask: u32) -> __m512i {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let reversed_bytes = _mm512_gf2p8affine_epi64_epi8::<0>(words, _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64));
            // The bytes of a word change places.
            _mm512_mask_shrdi_epi16::<8>(words, mask, reversed_bytes, reversed_bytes)
        }
    }
}
