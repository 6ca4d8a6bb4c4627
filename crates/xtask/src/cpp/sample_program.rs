//! The wiki's sample program: its source, and the same program on the header, with its own namespace `Helpers` and without.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::compiler::{self, Compiler};

/// Where Debian's libjsoncpp-dev puts the header that the sample program includes as `jsoncpp/json.h`.
const JSONCPP: &str = "/usr/include/jsoncpp/json/json.h";

/// The programs.
pub(super) struct Programs {
    pub(super) original: PathBuf,
    /// With the header in the place of the namespace `Pacman`, and of both namespaces.
    pub(super) on_header: [PathBuf; 2],
}

impl Programs {
    /// Compiles the sample program, and twice more on the header.
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
        let [own_helpers, no_helpers] = on_header(&source)?;
        Ok(Programs {
            original: compile("original.cpp", &source)?,
            on_header: [compile("own_helpers.cpp", &own_helpers)?, compile("no_helpers.cpp", &no_helpers)?],
        })
    }
}

/// Returns the options with which a source can include the sample program as `SAMPLE`: with its own engine, and twice on the header.
pub(super) fn as_include(compiler: &Compiler, sample: &Path) -> anyhow::Result<[[String; 2]; 3]> {
    let source = read(sample)?;
    let [own_helpers, no_helpers] = on_header(&source)?;
    let include = include_jsoncpp(compiler)?;
    let options = |name: &str, text: &str| {
        let path = compiler.folder().join(name);
        fs::write(&path, text)?;
        anyhow::Ok([format!("-DSAMPLE=\"{}\"", path.display()), include.clone()])
    };
    Ok([
        options("included.cpp", &source)?,
        options("included_own_helpers.cpp", &own_helpers)?,
        options("included_no_helpers.cpp", &no_helpers)?,
    ])
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

/// Does what an author does: includes the header, and deletes the namespace `Pacman`, or both namespaces.
fn on_header(source: &str) -> anyhow::Result<[String; 2]> {
    let find = |text: &str| source.find(text).with_context(|| format!("the sample program has no {text}"));
    let (begin, helpers, main) = (find("namespace Pacman")?, find("namespace Helpers")?, find("int main()")?);
    let without = |next: usize| {
        let end = source[..next].rfind('}').context("the sample program has a namespace without an end")? + 1;
        anyhow::Ok(format!("{}#include \"pacman2.hpp\"\n{}", &source[..begin], &source[end..]))
    };
    Ok([without(helpers)?, without(main)?])
}
