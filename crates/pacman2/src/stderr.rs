//! `eprint!` and `eprintln!` for this program. Those of the standard library panic if the reader of standard error is gone.

macro_rules! eprint {
    ($($text:tt)*) => {{
        // There is no other place to report that this failed.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!($($text)*).as_bytes());
    }};
}

macro_rules! eprintln {
    () => { eprint!("\n") };
    ($($text:tt)*) => { eprint!("{}\n", format_args!($($text)*)) };
}
