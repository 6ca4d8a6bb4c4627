//! What an instruction set needs to have for lanes in registers of 16 or 32 bytes.

/// 16 or 32 bytes in a register of one instruction set.
///
/// Larger elements are counted from the lowest byte: pairs have two bytes, words four, and sixteens sixteen. Operations that
/// move bytes to other places do so within each sixteen.
///
/// # Safety
///
/// Any bits are valid, there is no padding, and the alignment is the size.
#[allow(unsafe_code, reason = "registers are loaded from columns")]
pub(crate) unsafe trait Register: Copy + Send + Sync + 'static {
    /// Proves that the CPU has the instruction set.
    type Proof: Copy + Send + Sync + 'static;

    /// [`Lanes::MAX_SCALAR_GAMES`](crate::lanes::Lanes::MAX_SCALAR_GAMES).
    const MAX_SCALAR_GAMES: usize;

    /// Returns the proof from which this register was made.
    fn proof(self) -> Self::Proof;
    /// Returns the same byte everywhere.
    fn splat(proof: Self::Proof, byte: u8) -> Self;
    /// Returns the same pair everywhere.
    fn splat_pairs(proof: Self::Proof, pair: u16) -> Self;
    /// Repeats sixteen bytes.
    fn splat_sixteens(proof: Self::Proof, bytes: &[u8; 16]) -> Self;
    /// Returns these pairs; `second` are those of the second sixteen, if the register has one.
    fn of_pairs(proof: Self::Proof, first: [u16; 8], second: [u16; 8]) -> Self;
    /// Returns bytes that are 255 or 0, by bits.
    fn of_bits(proof: Self::Proof, bits: u32) -> Self;
    /// Returns, for bytes that are 255 or 0, a bit for each.
    fn bits(self) -> u32;
    /// Returns whether any bit is set.
    fn any(self) -> bool;

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Returns `if_set` where the mask is 255, and `if_clear` where it is 0.
    fn select(mask: Self, if_set: Self, if_clear: Self) -> Self;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn saturating_add(self, other: Self) -> Self;
    fn saturating_sub(self, other: Self) -> Self;
    fn max_i8(self, other: Self) -> Self;
    /// Returns 255 where the bytes are equal, and else 0.
    fn equals(self, other: Self) -> Self;
    fn gt_i8(self, other: Self) -> Self;
    fn lt_u8(self, other: Self) -> Self;

    fn shift_pairs_right<const BITS: i32>(self) -> Self;
    fn sub_pairs(self, other: Self) -> Self;
    /// Returns the lower halves of the products of pairs.
    fn mul_lo_pairs(self, other: Self) -> Self;
    /// Returns the upper halves of the products of pairs.
    fn mul_hi_pairs(self, other: Self) -> Self;
    fn add_words(self, other: Self) -> Self;
    fn shift_words_left<const BITS: i32>(self) -> Self;
    fn shift_words_right<const BITS: i32>(self) -> Self;
    fn rotate_words_left<const BITS: i32>(self) -> Self;

    /// Alternates the lower eight bytes of each sixteen with those of `other`.
    fn interleave_low(self, other: Self) -> Self;
    fn interleave_high(self, other: Self) -> Self;
    fn interleave_low_pairs(self, other: Self) -> Self;
    fn interleave_high_pairs(self, other: Self) -> Self;
    fn interleave_low_words(self, other: Self) -> Self;
    fn interleave_high_words(self, other: Self) -> Self;
    fn interleave_low_eights(self, other: Self) -> Self;
    fn interleave_high_eights(self, other: Self) -> Self;
    /// Makes bytes of pairs, which are below 256: the lower eight bytes of each sixteen of these, and the higher ones of
    /// `high`.
    fn narrow_pairs(self, high: Self) -> Self;
    /// Takes the pairs at odd places from `odd`.
    fn with_odd_pairs(self, odd: Self) -> Self;
    /// Takes the words at odd places from `odd`.
    fn with_odd_words(self, odd: Self) -> Self;
    /// Takes the upper half of each sixteen from `high`.
    fn with_high_eights(self, high: Self) -> Self;

    /// Looks up bytes, which are below 128, by their lowest four bits.
    fn look_up_16(self, table: Self) -> Self;
    /// Looks up bytes, of which the highest bit is ignored, in a table of eight sixteens.
    fn look_up_128(self, table: [Self; 8]) -> Self;
}
