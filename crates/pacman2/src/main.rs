//! The program of the library `pacman2`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pacman2::run()
}
