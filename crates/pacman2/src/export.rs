//! `pacman2 export`: a built-in bot as one file for Botzone.
//!
//! Tests of the Python package compare the decisions of these files with those of the built-in bots.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::args::ExportArgs;
use crate::bundle::cpp::{self, CppOptions};
use crate::error::bad_input;
use crate::files::{Content, OutputFile};

/// The bots, and their sources in C++, which include the header.
const BOTS: [(&str, &str); 2] =
    [("greedy", include_str!("../templates/export/greedy.cpp")), ("hunter", include_str!("../templates/export/hunter.cpp"))];
const HEADER: &str = include_str!("../../../cpp/pacman2.hpp");
/// The line of a source that contains its seed.
const SEED: &str = "constexpr std::int32_t seed = 0; // [seed]\n";

pub(crate) fn run(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let Some((name, source)) = BOTS.into_iter().find(|&(name, _)| name == args.bot) else {
        return Err(bad_input(format!("{}: expected greedy or hunter; other bots cannot be exported", args.bot)));
    };
    let to_stdout = args.output == Path::new("-");
    let shown = args.output.display().to_string();
    if !to_stdout && args.output.extension().is_none_or(|extension| extension != args.lang.as_str()) {
        return Err(bad_input(format!("--output {shown}: expected a name that ends in .{}", args.lang)));
    }
    let file = OutputFile::new("--output", args.output, Content::Bundle, args.force);
    if !to_stdout {
        file.check()?;
    }
    let text = joined(name, source, args.seed)?;
    if to_stdout {
        io::stdout().write_all(&text)?;
    } else {
        file.write_bytes(&text)?;
        println!("{shown}: {name} in C++17, {} bytes", text.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a source with its seed and the sections of the header that it uses.
fn joined(name: &str, source: &str, seed: i32) -> anyhow::Result<Vec<u8>> {
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let file = folder.path().join(format!("{name}.cpp"));
    fs::write(&file, source.replace(SEED, &format!("constexpr std::int32_t seed = {seed};\n")))?;
    fs::write(folder.path().join("pacman2.hpp"), HEADER)?;
    Ok(cpp::bundle(&file, &CppOptions::default())?.text)
}
