//! The weights of `sage`'s nets as a C++ file, for bots that include `sage.hpp`.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pacman2_bots::net::Net;
use pacman2_bots::policy_net::PolicyNet;
use pacman2_console::files::Content;

/// The search that uses the weights.
pub const SEARCH: &str = include_str!("../../../cpp/sage.hpp");
/// What a source calls the file with the weights when it includes it.
pub const FILE: &str = "weights.hpp";
/// What follows the comment sign in the first line of a file with weights.
const MARK: &str = "pacman2 weights: ";
/// The weights of nets for a bot in C++ as the content of a file.
pub const CONTENT: Content =
    Content { name: "file of weights", is_ours: |head| head.strip_prefix("// ").is_some_and(|line| line.starts_with(MARK)) };
/// Digits in a line.
const LINE: usize = 120;

/// Returns the file with the weights of this net and of the built-in policy net. `origin` says which net it is.
pub fn text(net: &Net, origin: &str) -> String {
    let mut text = format!(
        "// {MARK}{origin}, and the policy net of sage\n// SPDX-License-Identifier: MIT OR Apache-2.0\n\n#pragma once\n\n\
         namespace pacman2 {{\nnamespace sage {{\n\n// The 32 bits of each number, lowest byte first, in base64.\n"
    );
    add(&mut text, "netWeights", net.weights().into_iter());
    add(&mut text, "policyWeights", PolicyNet::built_in().weights());
    text + "} // namespace sage\n} // namespace pacman2\n"
}

/// Returns the file with the weights of the built-in nets.
pub fn built_in() -> String {
    text(&Net::built_in(), "the net of sage")
}

fn add(text: &mut String, name: &str, weights: impl Iterator<Item = f32>) {
    let bytes: Vec<u8> = weights.flat_map(f32::to_le_bytes).collect();
    let digits = STANDARD.encode(bytes);
    let _ = writeln!(text, "inline constexpr char {name}[] =");
    let mut lines = digits.as_bytes().chunks(LINE).map(String::from_utf8_lossy).peekable();
    while let Some(line) = lines.next() {
        let end = if lines.peek().is_none() { ";\n" } else { "" };
        let _ = writeln!(text, "    \"{line}\"{end}");
    }
}
