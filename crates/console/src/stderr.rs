//! `eprint!` and `eprintln!` for this program: lines in its language, and without the panic of the standard library's if the reader
//! of standard error is gone.

/// Writes to standard error. If its reader is gone, nothing happens.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => {{
        // There is no other place to report that this failed.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!($($text)*).as_bytes());
    }};
}

/// Writes a line to standard error. If its reader is gone, nothing happens.
#[macro_export]
macro_rules! eprintln {
    () => { $crate::eprint!("\n") };
    ($($text:tt)*) => { $crate::eprint!("{}\n", $crate::stdout::for_stderr(&format!($($text)*))) };
}
