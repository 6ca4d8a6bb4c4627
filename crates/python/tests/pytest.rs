//! Installs this checkout into a virtual environment and runs pytest on `crates/python/tests` there. With `PACMAN2_PYTHON=must`
//! it is installed as a wheel, with the program of this build and with what is compiled already; otherwise its files are copied.
//!
//! With `PACMAN2_PYTHON=must` the tests run in a second environment, too, with PyTorch and the frameworks for learning. Some of
//! them require old versions of what the first environment has in new ones, such as Gymnasium.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The commands that may start Python.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// Prints the version if Python is new enough and can create virtual environments.
const IS_FIT: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)";
/// The folder of all build products. They are kept, so that the next run is quick.
const PLACE: &str = env!("CARGO_TARGET_TMPDIR");
/// Tests that run in the second environment, too: those of a framework, of PyTorch, or of the classes of Gymnasium and PettingZoo.
const WITH_FRAMEWORKS: [&str; 17] = [
    "cluster",
    "test_dataset.py",
    "test_docstrings.py",
    "test_examples.py",
    "test_export.py",
    "test_framework_defaults.py",
    "test_gymnasium.py",
    "test_missing_packages.py",
    "test_notebooks.py",
    "test_openspiel.py",
    "test_pettingzoo.py",
    "test_rllib.py",
    "test_sb3.py",
    "test_search.py",
    "test_solo.py",
    "test_symmetries.py",
    "test_torchrl.py",
];
/// Tests that take longest for what they would find: they run if nothing may be left out.
const SLOW: [&str; 4] = ["test_export_bots.py", "test_symmetries.py", "test_opponents.py", "test_types.py"];
const UNTESTED: &str = "the Python package";

#[test]
fn pytest() {
    let Some((python, version)) = python() else {
        return lacks("Python 3.10 or newer with venv; `apt-get install python3-venv`");
    };
    let venv =
        match environment(python, &version, "venv", &requirements(if is_required() { &["test", "checks"] } else { &["test"] })) {
            Ok(venv) => venv,
            Err(trouble) => return lacks(&trouble),
        };
    if !is_required() {
        install_this_build(&venv);
        let _ = writeln!(io::stderr(), "not run: {} (run by PACMAN2_PYTHON=must, as in .ci/run)", SLOW.join(", "));
        return print_skipped(&run_pytest(&venv, "if installed", &paths("--ignore=", &SLOW)));
    }
    let wheel = build_wheel(&venv);
    install(&wheel, &venv);
    run_pytest(&venv, "if installed", &[]);
    let extras = ["test", "examples", "openspiel", "sb3", "torchrl", "rllib", "video"];
    let venv = match environment(python, &version, "venv-frameworks", &requirements(&extras)) {
        Ok(venv) => venv,
        Err(trouble) => return lacks(&trouble),
    };
    install(&wheel, &venv);
    print_skipped(&run_pytest(&venv, "must", &paths("", &WITH_FRAMEWORKS)));
}

/// Returns arguments of pytest: an option, or nothing, before the path of each file.
fn paths(option: &str, files: &[&str]) -> Vec<String> {
    files.iter().map(|file| format!("{option}crates/python/tests/{file}")).collect()
}

/// Runs the tests of the package and returns what pytest printed. `frameworks` is "must" if their tests must not be skipped.
fn run_pytest(venv: &Path, frameworks: &str, options: &[String]) -> String {
    let cache = format!("cache_dir={}", Path::new(PLACE).join("pytest").display());
    let ran = tool(venv, "pytest")
        // More processes than that would spend their time on imports.
        .args(["--quiet", "-rs", "--numprocesses=auto", "--maxprocesses=4", "--dist=loadgroup", "--override-ini", &cache])
        .args(options)
        .env("PACMAN2_FRAMEWORKS", frameworks)
        // Otherwise each process compiles all that it imports: 13 s of processor time with PyTorch.
        .env_remove("PYTHONDONTWRITEBYTECODE")
        .env("PYTHONPYCACHEPREFIX", Path::new(PLACE).join("pycache"))
        .output()
        .expect("pytest was there before");
    let text = output_text(&ran);
    println!("{text}");
    assert!(ran.status.success(), "the Python package fails its tests; see the output of pytest above");
    text
}

/// Prints how many tests were not run, and why, past the test runner, which captures output.
fn print_skipped(printed: &str) {
    let mut numbers = BTreeMap::<&str, u32>::new();
    // Such as "SKIPPED [2] crates/python/tests/test_puffer.py:89: not run: PufferLib is not there".
    for line in printed.lines().filter_map(|line| line.strip_prefix("SKIPPED [")) {
        let Some((number, (_, reason))) = line.split_once("] ").and_then(|(n, rest)| Some((n, rest.split_once(": ")?))) else {
            continue;
        };
        *numbers.entry(reason).or_default() += number.parse::<u32>().unwrap_or(1);
    }
    for (reason, number) in numbers {
        let _ = writeln!(io::stderr(), "{number} tests of Python: {reason}");
    }
}

/// Builds the wheel by the package's own backend, and checks it as an index does. Its parts are those of this build, unoptimised,
/// which saves minutes.
fn build_wheel(venv: &Path) -> PathBuf {
    build(&["--bins", "--tests"]);
    let wheels = Path::new(PLACE).join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let built = tool(venv, "pip")
        .args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", ".", "--wheel-dir"])
        .arg(&wheels)
        .env("CARGO_TARGET_DIR", Path::new(PLACE).parent().expect("a folder of cargo"))
        .env("MATURIN_PEP517_ARGS", "--locked --profile dev")
        .env("PACMAN2_PROGRAM", products().join(format!("pacman2{}", env::consts::EXE_SUFFIX)))
        .output()
        .expect("pip was there before");
    assert!(built.status.success(), "the wheel cannot be built: {}", output_text(&built));
    let wheel = fs::read_dir(&wheels).expect("pip wrote to it").flatten().next().expect("a wheel").path();
    let checked = tool(venv, "twine").args(["check", "--strict"]).arg(&wheel).output().expect("twine was there before");
    assert!(checked.status.success(), "twine rejects the wheel: {}", output_text(&checked));
    wheel
}

/// Installs the wheel in a virtual environment.
fn install(wheel: &Path, venv: &Path) {
    let mut pip = tool(venv, "pip");
    pip.args(["install", "--quiet", "--no-deps", "--force-reinstall"]).arg(wheel);
    let installed = pip.output().expect("pip was there before");
    assert!(installed.status.success(), "the wheel cannot be installed: {}", output_text(&installed));
}

/// Builds what `cargo test --workspace` builds, too, with the same features; only the engine itself is missing there.
fn build(targets: &[&str]) {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--workspace", "--locked", "--quiet"]).args(targets).current_dir(root()).stdin(Stdio::null());
    // What cargo says about this package: build scripts that read it would run again, now and in the next build.
    let about_this = |name: &OsString| {
        let name = name.to_string_lossy();
        name == "OUT_DIR" || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    for name in env::vars_os().map(|(name, _)| name).filter(about_this) {
        build.env_remove(name);
    }
    let built = build.output().expect("cargo runs this test");
    assert!(built.status.success(), "the workspace cannot be built: {}", output_text(&built));
}

/// Returns the folder of the products of the build that runs this test.
fn products() -> PathBuf {
    Path::new(PLACE).parent().expect("a folder of cargo").join("debug")
}

/// Copies the package with the engine of this build.
fn install_this_build(venv: &Path) {
    build(&["--lib", "--tests"]);
    let asked = Command::new(venv).args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).output();
    let packages = String::from_utf8(asked.expect("Python was there before").stdout).expect("a path");
    let package = Path::new(packages.trim()).join("pacman2");
    let _ = fs::remove_dir_all(&package);
    copy_folder(&root().join("crates/python/pacman2"), &package);
    let (engine, name) = if cfg!(windows) {
        ("pacman2_engine.dll", "_engine.pyd")
    } else if cfg!(target_os = "macos") {
        ("libpacman2_engine.dylib", "_engine.abi3.so")
    } else {
        ("libpacman2_engine.so", "_engine.abi3.so")
    };
    fs::copy(products().join(engine), package.join(name)).expect("the engine was built");
}

/// Copies a folder of the package, without what Python compiled.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("the environment can be written");
    for entry in fs::read_dir(from).expect("the package").flatten() {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_file() {
            fs::copy(path, copy).expect("the environment can be written");
        } else if entry.file_name() != "__pycache__" {
            copy_folder(&path, &copy);
        }
    }
}

/// Returns the command of a suitable Python and its version.
fn python() -> Option<(&'static str, String)> {
    PYTHONS.into_iter().find_map(|python| {
        let ran = Command::new(python).args(["-c", IS_FIT]).stdin(Stdio::null()).output().ok()?;
        ran.status.success().then(|| (python, String::from_utf8_lossy(&ran.stdout).into_owned()))
    })
}

/// Returns the Python of a virtual environment with all requirements, or the reason why there is none.
fn environment(python: &str, version: &str, name: &str, requirements: &[String]) -> Result<PathBuf, String> {
    let venv = Path::new(PLACE).join(name);
    let inside = if venv.join("Scripts").is_dir() { venv.join("Scripts/python.exe") } else { venv.join("bin/python") };
    let (stamp, expected) = (venv.join("requirements.txt"), format!("{version}{}", requirements.join("\n")));
    if fs::read_to_string(&stamp).is_ok_and(|has| has == expected) {
        return Ok(inside);
    }
    let _ = fs::remove_dir_all(&venv);
    // To build wheels, the environment needs a pip of its own, whose installation takes seconds.
    let is_pip_outside = !is_required() && has_fit_pip(python);
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).args(is_pip_outside.then_some("--without-pip")).arg(&venv);
    let made = make.stdin(Stdio::null()).output();
    match made {
        Ok(made) if made.status.success() => {}
        Ok(made) => return Err(format!("a virtual environment: {}", output_text(&made).trim())),
        Err(error) => return Err(format!("a virtual environment: {error}")),
    }
    let inside = if venv.join("Scripts").is_dir() { venv.join("Scripts/python.exe") } else { inside };
    // What is imported is compiled when it is.
    let mut pip = if is_pip_outside { outside_pip(python, &inside) } else { tool(&inside, "pip") };
    let installed = pip.args(["install", "--quiet", "--no-compile"]).args(requirements).output();
    match installed {
        Ok(installed) if installed.status.success() => {}
        Ok(installed) => {
            let text = output_text(&installed);
            let why = text.lines().find(|line| line.starts_with("ERROR")).unwrap_or("pip install fails");
            return Err(format!("packages of Python, which pip installs with a network; {why}"));
        }
        Err(error) => return Err(format!("pip; {error}")),
    }
    fs::write(stamp, expected).expect("the environment was just made");
    Ok(inside)
}

/// Returns whether the pip of this Python can install for another one.
fn has_fit_pip(python: &str) -> bool {
    let mut ask = Command::new(python);
    ask.args(["-c", "import pip; assert int(pip.__version__.split('.')[0]) >= 23"]);
    ask.stdin(Stdio::null()).output().is_ok_and(|ran| ran.status.success())
}

/// Returns a command that runs the pip of one Python for another one.
fn outside_pip(python: &str, other: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--python"]).arg(other).current_dir(root()).stdin(Stdio::null());
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    command
}

/// Returns the requirements of the package and of some of its extras; also those to build it if the test is required.
fn requirements(extras: &[&str]) -> Vec<String> {
    let text = fs::read_to_string(root().join("pyproject.toml")).expect("the checkout has a pyproject.toml");
    let project: toml::Table = text.parse().expect("pyproject.toml is TOML");
    let optional = &project["project"]["optional-dependencies"];
    let mut lists = vec![&project["project"]["dependencies"]];
    lists.extend(extras.iter().map(|extra| &optional[extra]));
    if is_required() {
        lists.push(&project["build-system"]["requires"]);
    }
    let words = |list: &toml::Value| list.as_array().expect("a list of requirements").clone();
    lists.into_iter().flat_map(words).map(|word| word.as_str().expect("a requirement").to_owned()).collect()
}

/// Returns a command that runs a Python module in the checkout.
fn tool(python: &Path, module: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", module]).current_dir(root()).stdin(Stdio::null());
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    // pip starts maturin by name.
    let beside = python.parent().expect("it lies in a folder").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path))).expect("a list of folders");
    command.env("PATH", path);
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace lies above this crate")
}

/// Returns whether the test must not be skipped.
fn is_required() -> bool {
    env::var("PACMAN2_PYTHON").as_deref() == Ok("must")
}

/// Reports that the package was not tested and what to install. Writes past the test runner, which captures output. Panics if
/// the test is required.
fn lacks(what: &str) {
    assert!(!is_required(), "{UNTESTED}: this machine lacks {what}");
    let _ = writeln!(io::stderr(), "not run: {UNTESTED} (this machine lacks {what})");
}

fn output_text(ran: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}
