//! C++ bots: compiled as Botzone does, once for each content.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use etcetera::BaseStrategy;
use pacman2_runner::{Compiler, Limits, Mounts, Outcome, Program, Question, Sandbox, Tier};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::failure::bad_input;
use crate::{files, seats, view};

/// What a compiler may use. Large headers take hundreds of megabytes.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(120)),
    cpu: Some(Duration::from_secs(120)),
    memory_bytes: Some(2 * 1024 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    tasks: Some(64),
};
/// How the folders are called in which compilers work, and when one of them has been abandoned.
const SCRATCH: &str = "compiling-";
const ABANDONED: Duration = Duration::from_secs(3600);
/// The largest program that a compiler may make.
const PROGRAM_BYTES: u64 = 128 * 1024 * 1024;

/// The program made from this source: from the cache, or compiled now, in the sandbox in which its bot will run.
pub(crate) fn cpp(source: &Path, language: &Compiler, sandbox: &Sandbox) -> anyhow::Result<PathBuf> {
    let (files, texts): (Vec<_>, Vec<_>) = with_includes(source)?.into_iter().unzip();
    let cache = cache_folder()?;
    let compiler = command_of(language);
    let program = cache.join(format!("{}{}", content_hash(&texts, &compiler, language), env::consts::EXE_SUFFIX));
    if program.exists() {
        return Ok(program);
    }
    if seats::find_in_path(&compiler).is_none() && !Path::new(&compiler).is_file() {
        return Err(bad_input(format!(
            "{}: no C++ compiler: {} was not found; install {}, or name one in {}",
            source.display(),
            compiler.display(),
            language.commands.join(" or "),
            language.variable
        )));
    }
    eprintln!("pacman2: compiling {} …", source.display());
    // All that the compiler writes, its program and what it needs for a while, goes here; nobody else looks in.
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&cache)?;
    let input = cleaned(source, &texts[0], scratch.path())?;
    let made = scratch.path().join("program");
    let mut command = vec![compiler];
    command.extend(language.flags.iter().map(OsString::from));
    command.extend(["-iquote".into(), folder_of(source).into()]);
    let wants_jsoncpp = texts.iter().any(|text| text.contains("jsoncpp/json.h") || text.contains("json/json.h"));
    if wants_jsoncpp {
        command.extend(jsoncpp_includes(&cache)?);
    }
    command.extend([input.into(), "-o".into(), made.clone().into()]);
    if wants_jsoncpp {
        command.extend(jsoncpp_libraries());
    }
    let mut view = view::of_compiler(&command[0]);
    view.readable.extend(files);
    view.readable.extend(Some(cache.join("include")).filter(|_| wants_jsoncpp));
    run(command, view, sandbox, &scratch, source)?;
    // Under another name until it is whole, so that a second match never runs half a program.
    let mut unfinished = tempfile::Builder::new().prefix("unfinished-").tempfile_in(&cache)?;
    let copied = open_made(&made).and_then(|made| io::copy(&mut made.take(PROGRAM_BYTES), &mut unfinished));
    copied.with_context(|| format!("what became of {} cannot be read", source.display()))?;
    files::make_executable(unfinished.as_file())?;
    unfinished.into_temp_path().persist(&program).with_context(|| format!("{} cannot be written", program.display()))?;
    Ok(program)
}

/// Runs the compiler.
fn run(command: Vec<OsString>, mut view: Mounts, sandbox: &Sandbox, scratch: &TempDir, source: &Path) -> anyhow::Result<()> {
    let compiler = command[0].clone();
    let mut program = Program::new(command, LIMITS);
    if sandbox.tier() == Tier::C {
        return finish(program, &compiler, source);
    }
    view.scratch = Some(scratch.path().to_owned());
    view.environment.push(("TMPDIR".into(), scratch.path().into()));
    program.confine(sandbox, view).map_err(|reason| bad_input(format!("{}: {reason}", source.display())))?;
    finish(program, &compiler, source)
}

fn finish(mut program: Program, compiler: &OsStr, source: &Path) -> anyhow::Result<()> {
    let run = program.ask(Question::once(""), &AtomicBool::new(false));
    let stderr = String::from_utf8_lossy(&run.stderr);
    let refused = |what: &str| Err(bad_input(format!("{} does not compile: {} {what}", source.display(), compiler.display())));
    match run.outcome {
        Outcome::Answered => Ok(()),
        Outcome::NotStarted(reason) => Err(bad_input(format!("{}: {reason}", source.display()))),
        Outcome::TimeOut(_) => refused("took more than 120 s"),
        Outcome::MemoryOut => refused("took more than 2 GB of memory"),
        Outcome::TasksOut | Outcome::OutputOut => refused("went astray"),
        _ => Err(bad_input(complaint(source, &stderr))),
    }
}

/// Opens what the compiler has made, which is a file of its own and no link to somebody else's.
fn open_made(made: &Path) -> io::Result<fs::File> {
    if !fs::symlink_metadata(made)?.is_file() {
        return Err(io::Error::other("the compiler has made no program"));
    }
    fs::File::open(made)
}

fn read(source: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(source).map_err(|error| bad_input(format!("{}: {error}", source.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy().context("there is no home folder to keep compiled bots in")?;
    let folder = base.cache_dir().join("pacman2");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    clear_up(&folder);
    Ok(folder)
}

/// Removes what was left when a compiler was interrupted long ago.
fn clear_up(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let is_unfinished = entry.file_name().to_str().is_some_and(|name| name.starts_with(SCRATCH));
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|then| then.elapsed().ok());
        if is_unfinished && changed.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The compiler that the user has chosen, if any.
pub(crate) fn chosen(language: &Compiler) -> Option<OsString> {
    env::var_os(language.variable).filter(|command| !command.is_empty())
}

fn command_of(language: &Compiler) -> OsString {
    chosen(language).unwrap_or_else(|| {
        let is_installed = |name: &&&str| seats::find_in_path(OsStr::new(name)).is_some();
        language.commands.iter().find(is_installed).unwrap_or(&language.commands[0]).into()
    })
}

/// The source with its text, and the files beside it that it includes with theirs.
fn with_includes(source: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut texts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![source.to_owned()];
    while let Some(path) = open.pop() {
        if seen.insert(path.clone()) {
            let text = read(&path)?;
            open.extend(included(source, &path, &text));
            texts.push((path, text));
        }
    }
    Ok(texts)
}

/// What is included beside a source has one of these endings: another bot's source shall not be.
const HEADERS: [&str; 8] = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tcc"];

/// The files that a file includes in quotes and that lie beside it or beside the source, where the compiler looks too: headers
/// in the source's folder or below. The author of the source writes these names, so no way out of the folder is taken.
fn included(source: &Path, file: &Path, text: &str) -> Vec<PathBuf> {
    let names = text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"')?;
        Some(name.split_once('"')?.0)
    });
    let is_header = |path: &PathBuf| path.extension().and_then(OsStr::to_str).is_some_and(|ending| HEADERS.contains(&ending));
    let is_inside = |path: &PathBuf| {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(path).zip(real(folder_of(source))).is_some_and(|(path, folder)| path.is_file() && path.starts_with(folder))
    };
    let places = names.flat_map(|name| [folder_of(file).join(name), folder_of(source).join(name)]);
    places.filter(is_header).filter(is_inside).collect()
}

fn content_hash(texts: &[String], compiler: &OsStr, language: &Compiler) -> String {
    let mut hash = Sha256::new();
    hash.update(compiler.as_encoded_bytes());
    language.flags.iter().for_each(|flag| hash.update(flag));
    for text in texts {
        // With its length, or a line that moves from one file to the next would change nothing.
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    seats::hexadecimal(&hash.finalize())
}

fn folder_of(source: &Path) -> &Path {
    source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The wiki's page has non-breaking spaces in its code, which no compiler takes; a source that was copied from there is
/// compiled from a cleaned copy.
fn cleaned(source: &Path, text: &str, scratch: &Path) -> anyhow::Result<PathBuf> {
    if !text.contains('\u{a0}') {
        return Ok(source.to_owned());
    }
    let copy = scratch.join("cleaned.cpp");
    let name = source.display().to_string().replace(['\\', '"'], "/");
    fs::write(&copy, format!("#line 1 \"{name}\"\n{}", text.replace('\u{a0}', " ")))?;
    Ok(copy)
}

/// On Botzone the header is `jsoncpp/json.h`; where jsoncpp is installed otherwise it is `json/json.h`.
fn jsoncpp_includes(cache: &Path) -> anyhow::Result<Vec<OsString>> {
    let folder = cache.join("include");
    let header = folder.join("jsoncpp").join("json.h");
    if !header.exists() {
        fs::create_dir_all(folder.join("jsoncpp"))?;
        files::write(&header, "#include <json/json.h>\n")?;
    }
    let mut flags = vec!["-I".into(), folder.into_os_string()];
    flags.extend(pkg_config("--cflags").unwrap_or_else(|| vec!["-I/usr/include/jsoncpp".into()]));
    Ok(flags)
}

fn jsoncpp_libraries() -> Vec<OsString> {
    pkg_config("--libs").unwrap_or_else(|| vec!["-ljsoncpp".into()])
}

fn pkg_config(what: &str) -> Option<Vec<OsString>> {
    let output = Command::new("pkg-config").args([what, "jsoncpp"]).output().ok()?;
    let flags = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| flags.split_whitespace().map(OsString::from).collect())
}

fn complaint(source: &Path, stderr: &str) -> String {
    const MOST_LINES: usize = 20;
    let lines: Vec<&str> = stderr.lines().take(MOST_LINES).collect();
    let more = if stderr.lines().count() > MOST_LINES { "\n…" } else { "" };
    let hint = if stderr.contains("json.h") || stderr.contains("-ljsoncpp") {
        "\njsoncpp seems to be missing (Debian and Ubuntu: apt-get install libjsoncpp-dev)"
    } else {
        ""
    };
    format!("{} does not compile:\n{}{more}{hint}", source.display(), lines.join("\n"))
}
