//! The Python package as who installs it has it: this checkout goes into a virtual environment by `pip install`, and there
//! pytest runs `crates/python/tests`.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Names under which a Python may be found.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// Says its version if it can make virtual environments and is new enough.
const IS_FIT: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)";
/// Where all that is made here stays, so that the next run is quick.
const PLACE: &str = env!("CARGO_TARGET_TMPDIR");
const UNTESTED: &str = "the Python package";

#[test]
fn pytest() {
    let Some((python, version)) = python() else {
        return lacks("Python 3.10 or newer with venv; `apt-get install python3-venv`");
    };
    let venv = match environment(python, &version) {
        Ok(venv) => venv,
        Err(trouble) => return lacks(&trouble),
    };
    let installed = tool(&venv, "pip")
        .args(["install", "--quiet", "--no-deps", "--no-build-isolation", "."])
        // Not the folder of the cargo that runs this test, which would wait for itself.
        .env("CARGO_TARGET_DIR", Path::new(PLACE).join("wheel"))
        // What is tested is the same, and it is made sooner.
        .envs([("CARGO_PROFILE_WHEEL_LTO", "off"), ("CARGO_PROFILE_WHEEL_CODEGEN_UNITS", "16")])
        .output()
        .expect("pip was there before");
    assert!(installed.status.success(), "the checkout cannot be installed: {}", told(&installed));
    let cache = format!("cache_dir={}", Path::new(PLACE).join("pytest").display());
    let ran = tool(&venv, "pytest")
        .args(["--quiet", "-rs", "--override-ini", &cache])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("pytest was there before");
    println!("{}", told(&ran));
    let not_run = told(&ran).lines().filter(|line| line.starts_with("SKIPPED")).collect::<Vec<_>>().join("\n");
    if !not_run.is_empty() {
        let _ = writeln!(io::stderr(), "{not_run}");
    }
    assert!(ran.status.success(), "the Python package fails: what pytest says is above");
}

/// A fit Python and its version.
fn python() -> Option<(&'static str, String)> {
    PYTHONS.into_iter().find_map(|python| {
        let ran = Command::new(python).args(["-c", IS_FIT]).stdin(Stdio::null()).output().ok()?;
        ran.status.success().then(|| (python, String::from_utf8_lossy(&ran.stdout).into_owned()))
    })
}

/// The Python of a virtual environment in which all requirements are installed; in a sentence, why there is none.
fn environment(python: &str, version: &str) -> Result<PathBuf, String> {
    let venv = Path::new(PLACE).join("venv");
    let inside = if venv.join("Scripts").is_dir() { venv.join("Scripts/python.exe") } else { venv.join("bin/python") };
    let requirements = requirements();
    let (stamp, wanted) = (venv.join("requirements.txt"), format!("{version}{}", requirements.join("\n")));
    if fs::read_to_string(&stamp).is_ok_and(|has| has == wanted) {
        return Ok(inside);
    }
    let _ = fs::remove_dir_all(&venv);
    let made = Command::new(python).args(["-m", "venv"]).arg(&venv).stdin(Stdio::null()).output();
    match made {
        Ok(made) if made.status.success() => {}
        Ok(made) => return Err(format!("a virtual environment: {}", told(&made).trim())),
        Err(error) => return Err(format!("a virtual environment: {error}")),
    }
    let inside = if venv.join("Scripts").is_dir() { venv.join("Scripts/python.exe") } else { inside };
    let installed = tool(&inside, "pip").args(["install", "--quiet"]).args(&requirements).output();
    match installed {
        Ok(installed) if installed.status.success() => {}
        Ok(installed) => {
            let told = told(&installed);
            let why = told.lines().find(|line| line.starts_with("ERROR")).unwrap_or("pip install fails");
            return Err(format!("packages of Python, which pip installs with a network; {why}"));
        }
        Err(error) => return Err(format!("pip; {error}")),
    }
    fs::write(stamp, wanted).expect("the environment was just made");
    Ok(inside)
}

/// What is needed to build, to use and to test the package. What the examples of learning want is much, PyTorch above all: it
/// is brought only where nothing may be lacking.
fn requirements() -> Vec<String> {
    let text = fs::read_to_string(root().join("pyproject.toml")).expect("the checkout has a pyproject.toml");
    let told: toml::Table = text.parse().expect("pyproject.toml is TOML");
    let optional = &told["project"]["optional-dependencies"];
    let mut lists = vec![&told["build-system"]["requires"], &told["project"]["dependencies"], &optional["test"]];
    if must() {
        lists.push(&optional["examples"]);
    }
    let words = |list: &toml::Value| list.as_array().expect("a list of requirements").clone();
    lists.into_iter().flat_map(words).map(|word| word.as_str().expect("a requirement").to_owned()).collect()
}

/// A module of an environment as a command, run in the checkout.
fn tool(python: &Path, module: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", module]).current_dir(root()).stdin(Stdio::null());
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    // maturin is called by its name.
    let beside = python.parent().expect("it lies in a folder").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path))).expect("a list of folders");
    command.env("PATH", path);
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace lies above this crate")
}

/// Whether nothing may be lacking.
fn must() -> bool {
    env::var("PACMAN2_PYTHON").as_deref() == Ok("must")
}

/// Says that the package was not tested and what to do about it, past the test runner, which would keep it to itself. Where
/// nothing may be lacking, that is a failure.
fn lacks(what: &str) {
    assert!(!must(), "{UNTESTED}: this machine lacks {what}");
    let _ = writeln!(io::stderr(), "not run: {UNTESTED} (this machine lacks {what})");
}

fn told(ran: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}
