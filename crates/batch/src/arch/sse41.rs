//! Registers of 16 bytes in SSE4.1, with `pshufb` of SSSE3.
//!
//! # Safety
//!
//! Only [`Sse41::detect`] makes an [`Sse41`], and only if the CPU has every feature listed in [`Sse41::run`]. Only the methods
//! of a [`Xmm`] make one, from an `Sse41` or from another `Xmm`. So a value of either type proves that the CPU has SSE4.1, and
//! this is what "proves SSE4.1" means below.
//!
//! These methods are `#[inline(always)]` and have no target features of their own: they are inlined into [`Sse41::run`], which
//! has.

#![allow(unsafe_code, reason = "calls vector instructions; see Safety above")]

use std::arch::x86_64::*;

use super::Work;
use super::register::Register;
use super::registers::Registers;
use crate::lanes::{CellTable, Table};

/// A proof that the CPU has SSE4.1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse41(());

impl Sse41 {
    /// Returns the proof if the CPU has SSE4.1 and what CPUs of Intel have had with it since 2008, and of AMD since 2011.
    pub(crate) fn detect() -> Option<Sse41> {
        let detected =
            is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("popcnt");
        detected.then_some(Sse41(()))
    }

    /// Runs `work` in a function that is compiled for SSE4.1.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "sse4.1,ssse3,popcnt")]
        fn run_with_features<W: Work>(sse41: Sse41, work: W) -> W::Output {
            work.run(Registers::<Xmm, 4>::all(sse41))
        }
        // SAFETY: `detect` has found these features.
        unsafe { run_with_features(self, work) }
    }
}

/// A register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Xmm(__m128i);

/// Implements operations on two registers that are one instruction.
macro_rules! instructions {
    ($($operation:ident = $instruction:ident;)+) => { $(
        #[inline(always)]
        fn $operation(self, other: Xmm) -> Xmm {
            // SAFETY: `self` proves SSE4.1.
            unsafe { Xmm($instruction(self.0, other.0)) }
        }
    )+ };
}

// SAFETY: a register of 16 bytes is aligned to 16 bytes.
unsafe impl Register for Xmm {
    type Proof = Sse41;

    const MAX_SCALAR_GAMES: usize = 8;

    #[inline(always)]
    fn prefetch<T: ?Sized>(data: &T) {
        super::prefetch::prefetch(data);
    }

    #[inline(always)]
    fn proof(self) -> Sse41 {
        Sse41(())
    }

    #[inline(always)]
    fn splat(_: Sse41, byte: u8) -> Xmm {
        // SAFETY: the argument proves SSE4.1.
        unsafe { Xmm(_mm_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn splat_pairs(_: Sse41, pair: u16) -> Xmm {
        // SAFETY: the argument proves SSE4.1.
        unsafe { Xmm(_mm_set1_epi16(pair as i16)) }
    }

    #[inline(always)]
    fn splat_sixteens(_: Sse41, bytes: &[u8; 16]) -> Xmm {
        // SAFETY: the argument proves SSE4.1. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe { Xmm(_mm_loadu_si128(bytes.as_ptr().cast::<__m128i>())) }
    }

    #[inline(always)]
    fn of_pairs(_: Sse41, first: [u16; 8], _: [u16; 8]) -> Xmm {
        let [a, b, c, d, e, f, g, h] = first.map(u16::cast_signed);
        // SAFETY: the argument proves SSE4.1.
        unsafe { Xmm(_mm_setr_epi16(a, b, c, d, e, f, g, h)) }
    }

    #[inline(always)]
    fn of_bits(_: Sse41, bits: u32) -> Xmm {
        // SAFETY: the argument proves SSE4.1.
        unsafe {
            let bits = _mm_cvtsi32_si128(bits as i32);
            let bytes = _mm_set_epi64x(0x0101_0101_0101_0101, 0);
            let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            Xmm(_mm_cmpeq_epi8(_mm_and_si128(_mm_shuffle_epi8(bits, bytes), bit), bit))
        }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: `self` proves SSE4.1.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: `self` proves SSE4.1.
        unsafe { _mm_testz_si128(self.0, self.0) == 0 }
    }

    instructions! {
        and = _mm_and_si128;
        or = _mm_or_si128;
        xor = _mm_xor_si128;
        add = _mm_add_epi8;
        sub = _mm_sub_epi8;
        saturating_add = _mm_adds_epu8;
        saturating_sub = _mm_subs_epu8;
        max_i8 = _mm_max_epi8;
        equals = _mm_cmpeq_epi8;
        gt_i8 = _mm_cmpgt_epi8;
        sub_pairs = _mm_sub_epi16;
        mul_lo_pairs = _mm_mullo_epi16;
        narrow_pairs = _mm_packus_epi16;
        mul_hi_pairs = _mm_mulhi_epu16;
        add_words = _mm_add_epi32;
        interleave_low = _mm_unpacklo_epi8;
        interleave_high = _mm_unpackhi_epi8;
        interleave_low_pairs = _mm_unpacklo_epi16;
        interleave_high_pairs = _mm_unpackhi_epi16;
        interleave_low_words = _mm_unpacklo_epi32;
        interleave_high_words = _mm_unpackhi_epi32;
        interleave_low_eights = _mm_unpacklo_epi64;
        interleave_high_eights = _mm_unpackhi_epi64;
    }

    #[inline(always)]
    fn not(self) -> Xmm {
        self.xor(Xmm::splat(self.proof(), 0xff))
    }

    #[inline(always)]
    fn select(mask: Xmm, if_set: Xmm, if_clear: Xmm) -> Xmm {
        // SAFETY: `mask` proves SSE4.1.
        unsafe { Xmm(_mm_blendv_epi8(if_clear.0, if_set.0, mask.0)) }
    }

    #[inline(always)]
    fn lt_u8(self, other: Xmm) -> Xmm {
        // SSE compares signed bytes only; with their sign bits flipped, unsigned bytes compare as signed ones.
        let sign_bit = Xmm::splat(self.proof(), 0x80);
        other.xor(sign_bit).gt_i8(self.xor(sign_bit))
    }

    #[inline(always)]
    fn shift_pairs_right<const BITS: i32>(self) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_srli_epi16::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_words_left<const BITS: i32>(self) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_slli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn shift_words_right<const BITS: i32>(self) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_srli_epi32::<BITS>(self.0)) }
    }

    #[inline(always)]
    fn rotate_words_left<const BITS: i32>(self) -> Xmm {
        // SAFETY: `self` proves SSE4.1. The compiler knows the count.
        let right = unsafe { Xmm(_mm_srl_epi32(self.0, _mm_cvtsi32_si128(32 - BITS))) };
        self.shift_words_left::<BITS>().or(right)
    }

    #[inline(always)]
    fn with_odd_pairs(self, odd: Xmm) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_blend_epi16::<0b1010_1010>(self.0, odd.0)) }
    }

    #[inline(always)]
    fn with_odd_words(self, odd: Xmm) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_blend_epi16::<0b1100_1100>(self.0, odd.0)) }
    }

    #[inline(always)]
    fn with_high_eights(self, high: Xmm) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_blend_epi16::<0b1111_0000>(self.0, high.0)) }
    }

    #[inline(always)]
    fn look_up_16(self, table: Xmm) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_shuffle_epi8(table.0, self.0)) }
    }

    #[inline(always)]
    fn look_up_128(self, [a, b, c, d, e, f, g, h]: [Xmm; 8]) -> Xmm {
        let indices = self.and(Xmm::splat(self.proof(), 0x7f));
        let [a, b, c, d] = [indices.look_up_16(a), indices.look_up_16(b), indices.look_up_16(c), indices.look_up_16(d)];
        let [e, f, g, h] = [indices.look_up_16(e), indices.look_up_16(f), indices.look_up_16(g), indices.look_up_16(h)];
        // SAFETY: `self` proves SSE4.1.
        unsafe {
            // The blend looks at sign bits only.
            let (low, middle, high) = (_mm_slli_epi16::<3>(self.0), _mm_slli_epi16::<2>(self.0), _mm_slli_epi16::<1>(self.0));
            let low = |even: Xmm, odd: Xmm| _mm_blendv_epi8(even.0, odd.0, low);
            let middle = |even, odd| _mm_blendv_epi8(even, odd, middle);
            Xmm(_mm_blendv_epi8(middle(low(a, b), low(c, d)), middle(low(e, f), low(g, h)), high))
        }
    }

    #[inline(always)]
    fn sixteens(table: &CellTable) -> &Table {
        &table.changes
    }

    /// Bytes of a sixteen are looked up by the lowest four bits, so that a cell beyond it finds the change in it, and those
    /// marked by the highest bit find 0: the dead, and cells before it.
    #[inline(always)]
    fn look_up_next(self, found: Xmm, sixteen: Xmm) -> Xmm {
        found.xor(self.look_up_16(sixteen))
    }

    #[inline(always)]
    fn next_sixteen(self) -> Xmm {
        // SAFETY: `self` proves SSE4.1.
        unsafe { Xmm(_mm_subs_epi8(self.0, _mm_set1_epi8(16))) }
    }
}
