//! Games in links: whatever is read can be written and read again, and every replay that verifies has a link.
//!
//! An input is the content of a link. Its length, its checksum and base64 are added here: a fuzzer does not guess a checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_replay::Replay;
use pacman2_rules::Fnv1a;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fuzz_target!(|content: &[u8]| {
    if let Ok(text) = std::str::from_utf8(content) {
        check(text);
    }
    check(&framed(content));
});

fn check(link: &str) {
    let Ok(replay) = Replay::from_link(link) else { return };
    let written = replay.to_link().expect("a game from a link follows the rules");
    assert_eq!(Replay::from_link(&written).expect("a written link can be read"), replay);
}

/// Returns the link with this content.
fn framed(content: &[u8]) -> String {
    let mut hash = Fnv1a::new();
    hash.write(content);
    let checksum = (hash.finish() >> 32 ^ hash.finish()) as u32;
    let mut bytes = Vec::new();
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(content);
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let digit = |six: &[u8]| six.iter().enumerate().fold(0, |digit, (index, bit)| digit | usize::from(*bit) << (5 - index));
    "1".chars().chain(bits.chunks(6).map(|six| char::from(DIGITS[digit(six)]))).collect()
}
