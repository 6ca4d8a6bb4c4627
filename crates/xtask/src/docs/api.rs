//! Builds the API docs: of Rust with cargo doc, of Python with pdoc.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::{doc_comments, html, paths};
use crate::cargo::{self, Metadata};
use crate::process::{last_line, output};
use crate::python;

/// pdoc, and what the modules of the package import.
const REQUIREMENTS: [&str; 5] = ["pdoc==16.0.0", "typing_extensions>=4.15", "numpy>=1.23", "gymnasium>=1.1", "pettingzoo>=1.25"];
/// Writes the docs of all public modules of the package to the folder given as argument.
const PDOC: &str = r#"
import importlib, pathlib, sys, typing
import pdoc, pdoc.render
import stand_ins
import pacman2

# Otherwise signatures contain "<class 'SupportsIndex'>".
typing.SupportsIndex.__module__ = "builtins"

# The package imports some names on first use, and pdoc documents only what is imported.
for name in pacman2.__all__:
    getattr(pacman2, name)
folder = pathlib.Path(pacman2.__file__).parent
modules = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
# pdoc lists the modules of a package only if it has no `__all__`.
summaries = {name: importlib.import_module(f"pacman2.{name}").__doc__.partition("\n")[0] for name in modules}
pacman2.__doc__ += "\n\n" + "\n".join(f"- `pacman2.{name}`: {summary}" for name, summary in summaries.items())
pdoc.render.configure(docformat="google", search=True, show_source=False)
pdoc.pdoc("pacman2", *(f"pacman2.{name}" for name in modules), output_directory=pathlib.Path(sys.argv[1]))
"#;
/// Attaches the doc comments to the classes and functions of the stub.
const COMMENT: &str = r#"
def _comment():
    import json

    for name, comment in json.loads(_COMMENTS).items():
        owner, _, member = name.rpartition(".")
        owner = vars(globals()[owner]) if owner in globals() else globals() if not owner else {}
        if member in owner:
            thing = owner[member]
            getattr(thing, "__func__", thing).__doc__ = comment

_comment()
"#;
/// Stand-ins for the frameworks that the package has modules for.
const STAND_INS: &str = include_str!("stand_ins.py");

/// Writes the API docs of all crates to a folder.
pub(super) fn rust(root: &Path, metadata: &Metadata, to: &Path) -> anyhow::Result<()> {
    let made = metadata.target_directory.join("doc");
    let crates: Vec<(String, &str)> = metadata
        .packages
        .iter()
        .filter_map(|package| Some((package.documented()?.0, package.description.as_deref().unwrap_or_default())))
        .collect();
    // rustdoc's search also finds crates that were documented in the same folder before: dependencies, or crates renamed since.
    let is_ours = |name: &String| crates.iter().any(|(ours, _)| ours == name);
    if made.is_dir() && paths::names(&made)?.iter().any(|name| made.join(name).join("all.html").is_file() && !is_ours(name)) {
        fs::remove_dir_all(&made).with_context(|| format!("cannot remove {}", made.display()))?;
    }
    let status = cargo::command(root).args(["doc", "--workspace", "--no-deps", "--locked"]).status()?;
    ensure!(status.success(), "cargo doc failed; fix the error that it printed above");
    paths::copy(&made, to, &|_| true)?;
    let mut list = String::new();
    for (name, description) in &crates {
        ensure!(to.join(name).join("index.html").is_file(), "expected cargo doc to document the crate {name}, got no page");
        let description = html::escape(description);
        list += &format!("<dt><a href=\"{name}/index.html\"><code>{name}</code></a></dt>\n<dd>{description}</dd>\n");
    }
    let body = format!("<p><a href=\"../../index.html\">pacman2</a></p>\n<h1>Crates</h1>\n<dl>\n{list}</dl>\n");
    fs::write(to.join("index.html"), html::page("Crates of pacman2", "en", &body))?;
    Ok(())
}

/// Returns a Python with pdoc and what the modules of the package import, from a virtual environment in a folder.
pub(super) fn python_with_pdoc(folder: &Path) -> anyhow::Result<PathBuf> {
    python::environment(&folder.join("venv"), &REQUIREMENTS)
}

/// Writes the API docs of the Python package to the folder `to`. Nothing is compiled: the stub of the engine stands in for it.
pub(super) fn python(root: &Path, python: &Path, folder: &Path, to: &Path) -> anyhow::Result<()> {
    let package = folder.join("package");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    let sources = root.join("crates/python/pacman2");
    for name in paths::names(&sources)?.iter().filter(|name| name.ends_with(".py") || name.ends_with(".pyi")) {
        paths::copy(&sources.join(name), &package.join("pacman2").join(name), &|_| true)?;
    }
    fs::write(package.join("stand_ins.py"), STAND_INS)?;
    fs::write(package.join("pacman2/_engine.py"), engine(root, &sources)?)?;
    let mut pdoc = python::command(python);
    pdoc.args(["-c", PDOC]).arg(to).env("PYTHONPATH", &package).current_dir(&package);
    let output = output(pdoc.env("PYTHONDONTWRITEBYTECODE", "1"))?;
    ensure!(output.status.success() && to.join("pacman2.html").is_file(), "pdoc failed: {}", last_line(&output));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Returns the source of a Python module in place of the compiled engine: its stub, with the doc comments of the Rust sources.
fn engine(root: &Path, package: &Path) -> anyhow::Result<String> {
    let mut comments = BTreeMap::new();
    for path in paths::files(root, "crates/python/src", &|_| true)?.iter().filter(|path| path.ends_with(".rs")) {
        let source = fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        doc_comments::collect(&source, &mut comments).with_context(|| format!("cannot read {path}"))?;
    }
    let stub = fs::read_to_string(package.join("_engine.pyi")).context("cannot read the stub of the engine")?;
    // pdoc does not show `__new__`, only `__init__`.
    let stub = stub.replace("def __new__(cls", "def __init__(self");
    let stub = stub.replace("def __new__(\n        cls", "def __init__(\n        self");
    let comments = serde_json::to_string(&serde_json::to_string(&comments)?)?;
    // Annotations mention classes that are defined further down, so they must not be evaluated.
    Ok(format!("from __future__ import annotations\n\n{stub}\n__version__ = \"\"\n_COMMENTS = {comments}\n{COMMENT}"))
}
