//! A byte for each seat and each place where it may be after its action.
//!
//! Loops over all of them do much for each byte, since the compiler makes vectors of a long loop and splits up a short one.

use super::place_tables::PlaceBytes;

/// Eight bytes for each seat, of which five are places.
pub(super) type Lanes = [u8; 32];

/// Returns the bytes of each seat's word.
#[inline(always)]
pub(super) fn of_words(words: [PlaceBytes; 4]) -> Lanes {
    let words = words.map(PlaceBytes::to_le_bytes);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(words.as_flattened());
    bytes
}

/// Returns lanes in which all bytes of a seat are the same.
#[inline(always)]
pub(super) fn by_seat(bytes: [u8; 4]) -> Lanes {
    std::array::from_fn(|lane| bytes[lane / 8])
}

/// Returns each seat's first byte in all its lanes.
#[inline(always)]
pub(super) fn first_of_seat(lanes: &Lanes) -> Lanes {
    std::array::from_fn(|lane| lanes[lane / 8 * 8])
}

/// Returns masks: all ones for the seats for which this holds. They come from a table, because the compiler would make them byte by byte.
#[inline(always)]
pub(super) fn mask(seats: [bool; 4]) -> &'static Lanes {
    let [a, b, c, d] = seats.map(usize::from);
    &MASKS[a | b << 1 | c << 2 | d << 3]
}

/// By the seats as bits: masks of them.
static MASKS: [Lanes; 16] = {
    let mut masks = [[0; 32]; 16];
    let mut index = 0;
    while index < 16 * 32 {
        let (seats, lane) = (index / 32, index % 32);
        masks[seats][lane] = if seats >> (lane / 8) & 1 != 0 { u8::MAX } else { 0 };
        index += 1;
    }
    masks
};
