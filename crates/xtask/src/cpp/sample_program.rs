//! The wiki's sample program: its source, and the same program on the header.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::compiler::{self, Compiler};

/// Where Debian's libjsoncpp-dev puts the header that the sample program includes as `jsoncpp/json.h`.
const JSONCPP: &str = "/usr/include/jsoncpp/json/json.h";

/// The two programs.
pub(super) struct Programs {
    pub(super) original: PathBuf,
    pub(super) on_header: PathBuf,
}

impl Programs {
    /// Compiles the sample program, and once more with the header in the place of its namespace `Pacman`.
    ///
    /// # Errors
    /// If `sample` is neither the program nor a page that contains it, or does not compile.
    pub(super) fn compile(compiler: &Compiler, sample: &Path) -> anyhow::Result<Programs> {
        let source = read(sample)?;
        let include = include_jsoncpp(compiler)?;
        let clock = compiler::folder().join("tests/fixed_time.hpp").display().to_string();
        let compile = |name: &str, text: &str| {
            let path = compiler.folder().join(name);
            fs::write(&path, text)?;
            compiler.program(&path, &["-O2", "-Wno-error", "-D_BOTZONE_ONLINE", &include, "-include", &clock], &["-ljsoncpp"])
        };
        let on_header = on_header(&source).context("the sample program has no namespace Pacman")?;
        Ok(Programs { original: compile("original.cpp", &source)?, on_header: compile("on_header.cpp", &on_header)? })
    }
}

/// Returns the options with which a source can include the sample program as `SAMPLE`: with its own engine, and on the header.
pub(super) fn as_include(compiler: &Compiler, sample: &Path) -> anyhow::Result<[[String; 2]; 2]> {
    let source = read(sample)?;
    let changed = on_header(&source).context("the sample program has no namespace Pacman")?;
    let include = include_jsoncpp(compiler)?;
    let options = |name: &str, text: &str| {
        let path = compiler.folder().join(name);
        fs::write(&path, text)?;
        anyhow::Ok([format!("-DSAMPLE=\"{}\"", path.display()), include.clone()])
    };
    Ok([options("included.cpp", &source)?, options("included_on_header.cpp", &changed)?])
}

fn read(sample: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(sample).with_context(|| format!("cannot read {}", sample.display()))?;
    source(&text).with_context(|| format!("{} does not contain the sample program", sample.display()))
}

/// Returns the option with which the sample program finds jsoncpp.
fn include_jsoncpp(compiler: &Compiler) -> anyhow::Result<String> {
    ensure!(Path::new(JSONCPP).is_file(), "jsoncpp is not installed; run `apt-get install libjsoncpp-dev`");
    let include = compiler.folder().join("include");
    fs::create_dir_all(include.join("jsoncpp"))?;
    fs::write(include.join("jsoncpp/json.h"), format!("#include \"{JSONCPP}\"\n"))?;
    Ok(format!("-I{}", include.display()))
}

/// Returns the program in the wiki's page, or a text that is the program already.
fn source(page: &str) -> Option<String> {
    let begin = if page.starts_with("/*\n") { 0 } else { page.find("\n/*\n")? + 1 };
    // The page has non-breaking spaces inside the code.
    let source = page[begin..].replace('\u{a0}', " ");
    source.contains("int main()").then_some(source)
}

/// Does what an author does: deletes the namespace, and includes the header.
fn on_header(source: &str) -> Option<String> {
    let begin = source.find("namespace Pacman")?;
    let next = source.find("namespace Helpers")?;
    let end = source[..next].rfind('}')? + 1;
    Some(format!("{}#include \"pacman2.hpp\"\n{}", &source[..begin], &source[end..]))
}
