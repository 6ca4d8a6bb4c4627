//! Links debug builds at a fixed address. Tests start the program thousands of times, and each start would relocate it: a
//! twentieth of the processor time of the tests that are not about pages.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name, value| env::var(name).as_deref() == Ok(value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
