//! Registers of 16 bytes in the SIMD instructions of WebAssembly.
//!
//! # Safety
//!
//! Only [`Simd128::new`] makes a [`Simd128`], where the instructions are a part of the target. Only the methods of a [`V128`]
//! make one, from a `Simd128` or from another `V128`. So a value of either type proves that the instructions are there. This
//! matters little: an engine without them does not accept the module.

#![allow(unsafe_code, reason = "implements `Register`; see Safety above")]

use std::arch::wasm32::*;

use super::Work;
use super::register::Register;
use super::registers::Registers;
use crate::lanes::{CellTable, Table};

/// A proof that the target has SIMD instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(());

impl Simd128 {
    pub(crate) fn new() -> Simd128 {
        Simd128(())
    }

    /// Runs `work`.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        work.run(Registers::<V128, 4>::all(self))
    }
}

/// A register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct V128(v128);

/// Implements operations on two registers that are one instruction.
macro_rules! instructions {
    ($($operation:ident = $instruction:ident;)+) => { $(
        #[inline(always)]
        fn $operation(self, other: V128) -> V128 {
            V128($instruction(self.0, other.0))
        }
    )+ };
}

// SAFETY: a register of 16 bytes is aligned to 16 bytes.
unsafe impl Register for V128 {
    type Proof = Simd128;

    const MAX_SCALAR_GAMES: usize = 8;

    #[inline(always)]
    fn proof(self) -> Simd128 {
        Simd128(())
    }

    #[inline(always)]
    fn splat(_: Simd128, byte: u8) -> V128 {
        V128(u8x16_splat(byte))
    }

    #[inline(always)]
    fn splat_pairs(_: Simd128, pair: u16) -> V128 {
        V128(u16x8_splat(pair))
    }

    #[inline(always)]
    fn splat_sixteens(_: Simd128, bytes: &[u8; 16]) -> V128 {
        // SAFETY: the load reads the sixteen bytes of the array and needs no alignment.
        unsafe { V128(v128_load(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn of_pairs(_: Simd128, [a, b, c, d, e, f, g, h]: [u16; 8], _: [u16; 8]) -> V128 {
        V128(u16x8(a, b, c, d, e, f, g, h))
    }

    #[inline(always)]
    fn of_bits(proof: Simd128, bits: u32) -> V128 {
        let bytes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
        let bits = u8x16_swizzle(u16x8_splat(bits as u16), V128::splat_sixteens(proof, &bytes).0);
        let bit = V128::splat_sixteens(proof, &[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
        V128(bits).and(bit).equals(bit)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u8x16_bitmask(self.0).into()
    }

    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }

    instructions! {
        and = v128_and;
        or = v128_or;
        xor = v128_xor;
        add = u8x16_add;
        sub = u8x16_sub;
        saturating_add = u8x16_add_sat;
        saturating_sub = u8x16_sub_sat;
        max_i8 = i8x16_max;
        equals = u8x16_eq;
        gt_i8 = i8x16_gt;
        lt_u8 = u8x16_lt;
        add_words = u32x4_add;
        interleave_low = low_bytes;
        interleave_high = high_bytes;
        interleave_low_pairs = low_pairs;
        interleave_high_pairs = high_pairs;
        interleave_low_words = low_words;
        interleave_high_words = high_words;
        interleave_low_eights = low_eights;
        interleave_high_eights = high_eights;
        sub_pairs = u16x8_sub;
        mul_lo_pairs = u16x8_mul;
        narrow_pairs = u8x16_narrow_i16x8;
        mul_hi_pairs = mul_hi_pairs;
        with_odd_pairs = odd_pairs;
        with_odd_words = odd_words;
        with_high_eights = high_of_other;
    }

    #[inline(always)]
    fn not(self) -> V128 {
        V128(v128_not(self.0))
    }

    #[inline(always)]
    fn select(mask: V128, if_set: V128, if_clear: V128) -> V128 {
        V128(v128_bitselect(if_set.0, if_clear.0, mask.0))
    }

    #[inline(always)]
    fn shift_pairs_right<const BITS: i32>(self) -> V128 {
        V128(u16x8_shr(self.0, BITS as u32))
    }

    #[inline(always)]
    fn shift_words_left<const BITS: i32>(self) -> V128 {
        V128(u32x4_shl(self.0, BITS as u32))
    }

    #[inline(always)]
    fn shift_words_right<const BITS: i32>(self) -> V128 {
        V128(u32x4_shr(self.0, BITS as u32))
    }

    #[inline(always)]
    fn rotate_words_left<const BITS: i32>(self) -> V128 {
        V128(v128_or(u32x4_shl(self.0, BITS as u32), u32x4_shr(self.0, 32 - BITS as u32)))
    }

    #[inline(always)]
    fn look_up_16(self, table: V128) -> V128 {
        // The instruction finds 0 for numbers from 16 on.
        V128(u8x16_swizzle(table.0, self.and(V128::splat(self.proof(), 15)).0))
    }

    #[inline(always)]
    fn look_up_128(self, sixteens: [V128; 8]) -> V128 {
        let mut rest = self.and(V128::splat(self.proof(), 0x7f));
        let mut found = V128::splat(self.proof(), 0);
        for sixteen in sixteens {
            found = rest.look_up_next(found, sixteen);
            rest = rest.next_sixteen();
        }
        found
    }

    #[inline(always)]
    fn sixteens(table: &CellTable) -> &Table {
        &table.bytes
    }

    /// Cells of other sixteens are numbers from 16 on here, and so are those of the dead: they find 0.
    #[inline(always)]
    fn look_up_next(self, found: V128, sixteen: V128) -> V128 {
        found.or(V128(u8x16_swizzle(sixteen.0, self.0)))
    }

    #[inline(always)]
    fn next_sixteen(self) -> V128 {
        self.sub(V128::splat(self.proof(), 16))
    }
}

#[inline(always)]
fn low_bytes(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b)
}

#[inline(always)]
fn high_bytes(a: v128, b: v128) -> v128 {
    u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b)
}

#[inline(always)]
fn low_pairs(a: v128, b: v128) -> v128 {
    u16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b)
}

#[inline(always)]
fn high_pairs(a: v128, b: v128) -> v128 {
    u16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b)
}

#[inline(always)]
fn low_words(a: v128, b: v128) -> v128 {
    u32x4_shuffle::<0, 4, 1, 5>(a, b)
}

#[inline(always)]
fn high_words(a: v128, b: v128) -> v128 {
    u32x4_shuffle::<2, 6, 3, 7>(a, b)
}

#[inline(always)]
fn low_eights(a: v128, b: v128) -> v128 {
    u64x2_shuffle::<0, 2>(a, b)
}

#[inline(always)]
fn high_eights(a: v128, b: v128) -> v128 {
    u64x2_shuffle::<1, 3>(a, b)
}

#[inline(always)]
fn odd_pairs(even: v128, odd: v128) -> v128 {
    u16x8_shuffle::<0, 9, 2, 11, 4, 13, 6, 15>(even, odd)
}

#[inline(always)]
fn odd_words(even: v128, odd: v128) -> v128 {
    u32x4_shuffle::<0, 5, 2, 7>(even, odd)
}

#[inline(always)]
fn high_of_other(low: v128, high: v128) -> v128 {
    u64x2_shuffle::<0, 3>(low, high)
}

#[inline(always)]
fn mul_hi_pairs(a: v128, b: v128) -> v128 {
    let (low, high) = (u32x4_extmul_low_u16x8(a, b), u32x4_extmul_high_u16x8(a, b));
    u16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(low, high)
}
