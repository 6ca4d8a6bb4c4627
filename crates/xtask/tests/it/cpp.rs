//! The C++ header `cpp/pacman2.hpp`, compiled as authors of bots compile it.

use std::process::Command;

#[test]
fn the_header_replays_the_traces_and_takes_them_back() {
    check(&["traces"]);
}

#[test]
fn the_examples_in_the_header_hold() {
    check(&["examples"]);
}

#[test]
fn each_section_of_the_header_compiles_with_what_it_needs() {
    check(&["sections"]);
}

#[test]
fn the_header_decides_as_the_sample_program_does() {
    // `.ci/run` asks for all.
    check(&["answers", "--every", "4"]);
}

fn check(what: &[&str]) {
    if !["g++", "clang++"].iter().any(|compiler| Command::new(compiler).arg("--version").output().is_ok()) {
        return eprintln!("NOT RUN: the C++ header, {what:?}; this needs a C++ compiler, `apt-get install g++`");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("cpp").args(what).output().unwrap();
    let [said, complained] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{said}{complained}");
}
