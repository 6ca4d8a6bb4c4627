//! Registers of 16 bytes in NEON, which every AArch64 CPU has.
//!
//! # Safety
//!
//! Only [`Neon::new`] makes a [`Neon`], and without NEON this file does not compile. Only the methods of a [`Quad`] make one,
//! from a `Neon` or from another `Quad`. So a value of either type proves that the CPU has NEON, and this is what "proves NEON"
//! means below.

#![allow(unsafe_code, reason = "calls vector instructions; see Safety above")]

use std::arch::aarch64::*;

use super::Work;
use super::register::Register;
use super::registers::Registers;

const _: () = assert!(cfg!(target_feature = "neon"));

/// A proof that the CPU has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    pub(crate) fn new() -> Neon {
        Neon(())
    }

    /// Runs `work`.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        work.run(Registers::<Quad, 4>::all(self))
    }
}

/// A register.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Quad(uint8x16_t);

/// Implements operations on two registers that are one instruction for bytes.
macro_rules! instructions {
    ($($operation:ident = $instruction:ident;)+) => { $(
        #[inline(always)]
        fn $operation(self, other: Quad) -> Quad {
            // SAFETY: `self` proves NEON.
            unsafe { Quad($instruction(self.0, other.0)) }
        }
    )+ };
}

/// Implements operations on two registers that are one instruction for larger elements.
macro_rules! instructions_for {
    ($($operation:ident = $to:ident $instruction:ident $from:ident;)+) => { $(
        #[inline(always)]
        fn $operation(self, other: Quad) -> Quad {
            // SAFETY: `self` proves NEON.
            unsafe { Quad($from($instruction($to(self.0), $to(other.0)))) }
        }
    )+ };
}

// SAFETY: a register of 16 bytes is aligned to 16 bytes.
unsafe impl Register for Quad {
    type Proof = Neon;

    const MAX_SCALAR_GAMES: usize = 8;

    #[inline(always)]
    fn proof(self) -> Neon {
        Neon(())
    }

    #[inline(always)]
    fn splat(_: Neon, byte: u8) -> Quad {
        // SAFETY: the argument proves NEON.
        unsafe { Quad(vdupq_n_u8(byte)) }
    }

    #[inline(always)]
    fn splat_pairs(_: Neon, pair: u16) -> Quad {
        // SAFETY: the argument proves NEON.
        unsafe { Quad(vreinterpretq_u8_u16(vdupq_n_u16(pair))) }
    }

    #[inline(always)]
    fn splat_sixteens(_: Neon, bytes: &[u8; 16]) -> Quad {
        // SAFETY: the argument proves NEON. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe { Quad(vld1q_u8(bytes.as_ptr())) }
    }

    #[inline(always)]
    fn of_pairs(_: Neon, first: [u16; 8], _: [u16; 8]) -> Quad {
        // SAFETY: the argument proves NEON. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe { Quad(vreinterpretq_u8_u16(vld1q_u16(first.as_ptr()))) }
    }

    #[inline(always)]
    fn of_bits(proof: Neon, bits: u32) -> Quad {
        // SAFETY: the argument proves NEON.
        unsafe {
            let bits = vcombine_u8(vdup_n_u8(bits as u8), vdup_n_u8((bits >> 8) as u8));
            Quad(vtstq_u8(bits, Quad::splat_sixteens(proof, &BITS).0))
        }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: `self` proves NEON.
        unsafe {
            let bits = vandq_u8(self.0, Quad::splat_sixteens(self.proof(), &BITS).0);
            // The sum of eight different bits is their union.
            let bits = vpaddq_u8(bits, bits);
            let bits = vpaddq_u8(bits, bits);
            let bits = vpaddq_u8(bits, bits);
            vgetq_lane_u16::<0>(vreinterpretq_u16_u8(bits)).into()
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: `self` proves NEON.
        unsafe { vmaxvq_u8(self.0) != 0 }
    }

    instructions! {
        and = vandq_u8;
        or = vorrq_u8;
        xor = veorq_u8;
        add = vaddq_u8;
        sub = vsubq_u8;
        saturating_add = vqaddq_u8;
        saturating_sub = vqsubq_u8;
        equals = vceqq_u8;
        lt_u8 = vcltq_u8;
        narrow_pairs = vuzp1q_u8;
        interleave_low = vzip1q_u8;
        interleave_high = vzip2q_u8;
    }

    instructions_for! {
        max_i8 = vreinterpretq_s8_u8 vmaxq_s8 vreinterpretq_u8_s8;
        gt_i8 = vreinterpretq_s8_u8 vcgtq_s8 identity;
        sub_pairs = vreinterpretq_u16_u8 vsubq_u16 vreinterpretq_u8_u16;
        mul_lo_pairs = vreinterpretq_u16_u8 vmulq_u16 vreinterpretq_u8_u16;
        add_words = vreinterpretq_u32_u8 vaddq_u32 vreinterpretq_u8_u32;
        interleave_low_pairs = vreinterpretq_u16_u8 vzip1q_u16 vreinterpretq_u8_u16;
        interleave_high_pairs = vreinterpretq_u16_u8 vzip2q_u16 vreinterpretq_u8_u16;
        interleave_low_words = vreinterpretq_u32_u8 vzip1q_u32 vreinterpretq_u8_u32;
        interleave_high_words = vreinterpretq_u32_u8 vzip2q_u32 vreinterpretq_u8_u32;
        interleave_low_eights = vreinterpretq_u64_u8 vzip1q_u64 vreinterpretq_u8_u64;
        interleave_high_eights = vreinterpretq_u64_u8 vzip2q_u64 vreinterpretq_u8_u64;
    }

    #[inline(always)]
    fn not(self) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vmvnq_u8(self.0)) }
    }

    #[inline(always)]
    fn select(mask: Quad, if_set: Quad, if_clear: Quad) -> Quad {
        // SAFETY: `mask` proves NEON.
        unsafe { Quad(vbslq_u8(mask.0, if_set.0, if_clear.0)) }
    }

    #[inline(always)]
    fn shift_pairs_right<const BITS: i32>(self) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vreinterpretq_u8_u16(vshrq_n_u16::<BITS>(vreinterpretq_u16_u8(self.0)))) }
    }

    #[inline(always)]
    fn mul_hi_pairs(self, other: Quad) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe {
            let (a, b) = (vreinterpretq_u16_u8(self.0), vreinterpretq_u16_u8(other.0));
            let low = vreinterpretq_u16_u32(vmull_u16(vget_low_u16(a), vget_low_u16(b)));
            let high = vreinterpretq_u16_u32(vmull_high_u16(a, b));
            Quad(vreinterpretq_u8_u16(vuzp2q_u16(low, high)))
        }
    }

    #[inline(always)]
    fn shift_words_left<const BITS: i32>(self) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vreinterpretq_u8_u32(vshlq_n_u32::<BITS>(vreinterpretq_u32_u8(self.0)))) }
    }

    #[inline(always)]
    fn shift_words_right<const BITS: i32>(self) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vreinterpretq_u8_u32(vshrq_n_u32::<BITS>(vreinterpretq_u32_u8(self.0)))) }
    }

    #[inline(always)]
    fn rotate_words_left<const BITS: i32>(self) -> Quad {
        // SAFETY: `self` proves NEON. A negative count shifts to the right, and the compiler knows it.
        let right = unsafe { Quad(vreinterpretq_u8_u32(vshlq_u32(vreinterpretq_u32_u8(self.0), vdupq_n_s32(BITS - 32)))) };
        self.shift_words_left::<BITS>().or(right)
    }

    #[inline(always)]
    fn with_odd_pairs(self, odd: Quad) -> Quad {
        let places = Quad::splat_sixteens(self.proof(), &[0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255]);
        Quad::select(places, odd, self)
    }

    #[inline(always)]
    fn with_odd_words(self, odd: Quad) -> Quad {
        let places = Quad::splat_sixteens(self.proof(), &[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255]);
        Quad::select(places, odd, self)
    }

    #[inline(always)]
    fn with_high_eights(self, high: Quad) -> Quad {
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vcombine_u8(vget_low_u8(self.0), vget_high_u8(high.0))) }
    }

    #[inline(always)]
    fn look_up_16(self, table: Quad) -> Quad {
        // NEON finds 0 for numbers from 16 on.
        let lowest_bits = self.and(Quad::splat(self.proof(), 15));
        // SAFETY: `self` proves NEON.
        unsafe { Quad(vqtbl1q_u8(table.0, lowest_bits.0)) }
    }

    #[inline(always)]
    fn look_up_128(self, [a, b, c, d, e, f, g, h]: [Quad; 8]) -> Quad {
        let indices = self.and(Quad::splat(self.proof(), 0x7f));
        let from_64 = indices.sub(Quad::splat(self.proof(), 64));
        // SAFETY: `self` proves NEON.
        unsafe {
            let below_64 = vqtbl4q_u8(uint8x16x4_t(a.0, b.0, c.0, d.0), indices.0);
            // This leaves what it does not find.
            Quad(vqtbx4q_u8(below_64, uint8x16x4_t(e.0, f.0, g.0, h.0), from_64.0))
        }
    }
}

/// A bit for each of eight bytes.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// What comparisons result in has the right type.
#[inline(always)]
fn identity(register: uint8x16_t) -> uint8x16_t {
    register
}
