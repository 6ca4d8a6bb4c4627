//! Registers of 32 bytes in AVX2.
//!
//! # Safety
//!
//! Only [`Avx2::detect`] makes an [`Avx2`], and only if the CPU has every feature listed in [`Avx2::run`]. Only the methods of
//! a [`Ymm`] make one, from an `Avx2` or from another `Ymm`. So a value of either type proves that the CPU has AVX2, and this
//! is what "proves AVX2" means below.
//!
//! These methods are `#[inline(always)]` and have no target features of their own: they are inlined into [`Avx2::run`], which
//! has.

#![allow(unsafe_code, reason = "calls vector instructions; see Safety above")]

use std::arch::x86_64::*;

use super::Work;
use super::register::Register;
use super::registers::Registers;
use crate::lanes::{Column, LANES};

/// A proof that the CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Returns the proof if the CPU has AVX2 and what has come with it since 2013.
    pub(crate) fn detect() -> Option<Avx2> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Avx2(()))
    }

    /// Runs `work` in a function that is compiled for AVX2.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run_with_features<W: Work>(avx2: Avx2, work: W) -> W::Output {
            // A local variable whose alignment exceeds that of a register makes the compiler align the stack. Otherwise half
            // of the registers that it spills there would cross a cache line.
            std::hint::black_box(&mut Column([0_u8; LANES]));
            work.run(Registers::<Ymm, 2>::all(avx2))
        }
        // SAFETY: `detect` has found these features.
        unsafe { run_with_features(self, work) }
    }
}

/// A register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Ymm(__m256i);

/// Implements operations on two registers that are one instruction.
macro_rules! instructions {
    ($($operation:ident = $instruction:ident;)+) => { $(
        #[inline(always)]
        fn $operation(self, other: Ymm) -> Ymm {
            // SAFETY: `self` proves AVX2.
            unsafe { Ymm($instruction(self.0, other.0)) }
        }
    )+ };
}

// SAFETY: a register of 32 bytes is aligned to 32 bytes.
unsafe impl Register for Ymm {
    type Proof = Avx2;

    const MAX_SCALAR_GAMES: usize = 8;

    #[inline(always)]
    fn proof(self) -> Avx2 {
        Avx2(())
    }

    #[inline(always)]
    fn splat(_: Avx2, byte: u8) -> Ymm {
        // SAFETY: the argument proves AVX2.
        unsafe { Ymm(_mm256_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn splat_pairs(_: Avx2, pair: u16) -> Ymm {
        // SAFETY: the argument proves AVX2.
        unsafe { Ymm(_mm256_set1_epi16(pair as i16)) }
    }

    #[inline(always)]
    fn splat_sixteens(_: Avx2, bytes: &[u8; 16]) -> Ymm {
        // SAFETY: the argument proves AVX2. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe { Ymm(_mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()))) }
    }

    #[inline(always)]
    fn of_pairs(_: Avx2, first: [u16; 8], second: [u16; 8]) -> Ymm {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (first.map(u16::cast_signed), second.map(u16::cast_signed));
        // SAFETY: the argument proves AVX2.
        unsafe { Ymm(_mm256_setr_epi16(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)) }
    }

    #[inline(always)]
    fn of_bits(_: Avx2, bits: u32) -> Ymm {
        // SAFETY: the argument proves AVX2.
        unsafe {
            let bits = _mm256_set1_epi32(bits as i32);
            let bytes = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            Ymm(_mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(bits, bytes), bit), bit))
        }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_movemask_epi8(self.0) as u32 }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    instructions! {
        and = _mm256_and_si256;
        or = _mm256_or_si256;
        xor = _mm256_xor_si256;
        add = _mm256_add_epi8;
        sub = _mm256_sub_epi8;
        saturating_add = _mm256_adds_epu8;
        saturating_sub = _mm256_subs_epu8;
        max_i8 = _mm256_max_epi8;
        equals = _mm256_cmpeq_epi8;
        gt_i8 = _mm256_cmpgt_epi8;
        sub_pairs = _mm256_sub_epi16;
        mul_lo_pairs = _mm256_mullo_epi16;
        narrow_pairs = _mm256_packus_epi16;
        mul_hi_pairs = _mm256_mulhi_epu16;
        add_words = _mm256_add_epi32;
        interleave_low = _mm256_unpacklo_epi8;
        interleave_high = _mm256_unpackhi_epi8;
        interleave_low_pairs = _mm256_unpacklo_epi16;
        interleave_high_pairs = _mm256_unpackhi_epi16;
        interleave_low_words = _mm256_unpacklo_epi32;
        interleave_high_words = _mm256_unpackhi_epi32;
        interleave_low_eights = _mm256_unpacklo_epi64;
        interleave_high_eights = _mm256_unpackhi_epi64;
    }

    #[inline(always)]
    fn not(self) -> Ymm {
        self.xor(Ymm::splat(self.proof(), 0xff))
    }

    #[inline(always)]
    fn select(mask: Ymm, if_set: Ymm, if_clear: Ymm) -> Ymm {
        // SAFETY: `mask` proves AVX2.
        unsafe { Ymm(_mm256_blendv_epi8(if_clear.0, if_set.0, mask.0)) }
    }

    #[inline(always)]
    fn lt_u8(self, other: Ymm) -> Ymm {
        // AVX2 compares signed bytes only; with their sign bits flipped, unsigned bytes compare as signed ones.
        let sign_bit = Ymm::splat(self.proof(), 0x80);
        other.xor(sign_bit).gt_i8(self.xor(sign_bit))
    }

    #[inline(always)]
    fn shift_pairs_right<const BITS: i32>(self) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_srli_epi16::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_words_left<const BITS: i32>(self) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_slli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_words_right<const BITS: i32>(self) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_srli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn rotate_words_left<const BITS: i32>(self) -> Ymm {
        // SAFETY: `self` proves AVX2. The compiler knows the count.
        let right = unsafe { Ymm(_mm256_srl_epi32(self.0, _mm_cvtsi32_si128(32 - BITS))) };
        self.shift_words_left::<BITS>().or(right)
    }

    #[inline(always)]
    fn with_odd_pairs(self, odd: Ymm) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_blend_epi16::<0b1010_1010>(self.0, odd.0)) }
    }

    #[inline(always)]
    fn with_odd_words(self, odd: Ymm) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_blend_epi32::<0b1010_1010>(self.0, odd.0)) }
    }

    #[inline(always)]
    fn with_high_eights(self, high: Ymm) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_blend_epi32::<0b1100_1100>(self.0, high.0)) }
    }

    #[inline(always)]
    fn look_up_16(self, table: Ymm) -> Ymm {
        // SAFETY: `self` proves AVX2.
        unsafe { Ymm(_mm256_shuffle_epi8(table.0, self.0)) }
    }

    #[inline(always)]
    fn look_up_128(self, [a, b, c, d, e, f, g, h]: [Ymm; 8]) -> Ymm {
        let indices = self.and(Ymm::splat(self.proof(), 0x7f));
        let [a, b, c, d] = [indices.look_up_16(a), indices.look_up_16(b), indices.look_up_16(c), indices.look_up_16(d)];
        let [e, f, g, h] = [indices.look_up_16(e), indices.look_up_16(f), indices.look_up_16(g), indices.look_up_16(h)];
        // SAFETY: `self` proves AVX2.
        unsafe {
            // The blend looks at sign bits only.
            let (low, middle, high) =
                (_mm256_slli_epi16::<3>(self.0), _mm256_slli_epi16::<2>(self.0), _mm256_slli_epi16::<1>(self.0));
            let low = |even: Ymm, odd: Ymm| _mm256_blendv_epi8(even.0, odd.0, low);
            let middle = |even, odd| _mm256_blendv_epi8(even, odd, middle);
            Ymm(_mm256_blendv_epi8(middle(low(a, b), low(c, d)), middle(low(e, f), low(g, h)), high))
        }
    }
}
