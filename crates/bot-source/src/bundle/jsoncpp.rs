//! Which copies of JsonCpp are the library as its authors released it, for which Botzone's can stand.

use sha2::{Digest, Sha256};

use crate::cpp_text::{CppText, Directive};
use crate::hash;

/// How Botzone's own copy is included.
pub(super) const HEADER: &str = "jsoncpp/json.h";
/// How the files begin that JsonCpp makes of itself for copying, in any version.
const BEGINNING: &str = "/// Json-cpp amalga";
const BEGINNING_BYTES: usize = 300;
/// The hashes of the code of these files: the header and the source that `amalgamate.py` of each release writes. A test of `bundle`
/// compares the first with the headers that are installed.
const RELEASES: [(&str, [&str; 2]); 2] = [
    (
        "1.9.5",
        [
            "eea318e00a6a75c0d2160ed310038d97b93e4049cc66bc0db94dd82262b9399d",
            "02f0f77a9d276ea3d98a857555f40f515039875bd64cf8894b0648101133f258",
        ],
    ),
    (
        "1.9.6",
        [
            "de41893e089c5d35eedb054388e37f52a31697a375919ad8bdd4f31ae71fda8f",
            "97f43c5d33b809d358b4088f4309118780a7e545394d56c40d56304aba4dff28",
        ],
    ),
];

/// Returns whether a file seems to be such a copy, perhaps changed.
pub(super) fn is_copy(text: &CppText) -> bool {
    let beginning = String::from_utf8_lossy(&text.text[..text.text.len().min(BEGINNING_BYTES)]);
    beginning.contains(BEGINNING)
}

/// Returns whether a file is the header or the source of a release, apart from comments, blanks, line ends, and how the two include
/// each other. A single changed word may matter to the bot.
pub(super) fn is_of_release(text: &CppText) -> bool {
    let hash = hash_of_code(text);
    RELEASES.iter().any(|(_, hashes)| hashes.contains(&hash.as_str()))
}

fn hash_of_code(text: &CppText) -> String {
    let is_of_library = |line: &_| match text.directive(line) {
        Some(Directive::Include(include)) => include.is_of_jsoncpp() || include.name.ends_with(b"jsoncpp.cpp"),
        _ => false,
    };
    let mut hash = Sha256::new();
    for line in text.lines().into_iter().filter(|line| !text.is_blank(line) && !is_of_library(line)) {
        hash.update(text.spaced(&line));
        hash.update(b"\n");
    }
    hash::hexadecimal(&hash.finalize())
}
