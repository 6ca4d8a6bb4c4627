//! C++ bots: compiled with Botzone's flags, once for each content.

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
use pacman2_runner::{Compiler, Language, Limits, Mounts, Outcome, Program, Question, Sandbox, Tier};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::error::bad_input;
use crate::executables::find_in_path;
use crate::text::sanitize;
use crate::{files, hash, mounts};

/// The limits of a compiler. Large headers take hundreds of megabytes.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(120)),
    cpu: Some(Duration::from_secs(120)),
    memory_bytes: Some(2 * 1024 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    tasks: Some(64),
};
/// The prefix of the folders in which compilers work, and the age at which such a folder counts as abandoned.
const SCRATCH: &str = "compiling-";
const ABANDONED: Duration = Duration::from_secs(3600);
/// The size limit of a compiled program.
const MAX_PROGRAM_BYTES: u64 = 128 * 1024 * 1024;

/// Returns the program of this source: from the cache, or compiled now, in the sandbox in which the bot will run.
pub(crate) fn cpp(source: &Path, language: &Compiler, sandbox: &Sandbox) -> anyhow::Result<PathBuf> {
    let (files, texts): (Vec<_>, Vec<_>) = with_includes(source)?.into_iter().unzip();
    let cache = cache_folder()?;
    let compiler = command_of(language);
    let program = cache.join(format!("{}{}", content_hash(&texts, &compiler, language), env::consts::EXE_SUFFIX));
    if program.exists() {
        return Ok(program);
    }
    if find_in_path(&compiler).is_none() && !Path::new(&compiler).is_file() {
        return Err(bad_input(format!(
            "{}: C++ compiler {} not found; install {} (Debian and Ubuntu: apt-get install {}), or set {}",
            source.display(),
            compiler.display(),
            language.commands.join(" or "),
            Language::Cpp.package(),
            language.variable
        )));
    }
    eprintln!("pacman2: compiling {} …", sanitize(&source.display().to_string()));
    // The compiler can only write here.
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&cache)?;
    let input = cleaned(source, &texts[0], scratch.path())?;
    let made = scratch.path().join("program");
    let mut command = vec![compiler];
    command.extend(language.flags.iter().map(OsString::from));
    command.extend(["-iquote".into(), folder_of(source).into()]);
    let needs_jsoncpp = texts.iter().any(|text| text.contains("jsoncpp/json.h") || text.contains("json/json.h"));
    if needs_jsoncpp {
        command.extend(jsoncpp_includes(&cache)?);
    }
    command.extend([input.into(), "-o".into(), made.clone().into()]);
    if needs_jsoncpp {
        command.extend(jsoncpp_libraries());
    }
    let mut mounts = mounts::of_compiler(&command[0]);
    mounts.readable.extend(files);
    mounts.readable.extend(Some(cache.join("include")).filter(|_| needs_jsoncpp));
    run(command, mounts, sandbox, &scratch, source)?;
    // Renamed when complete, so that a second match never runs half a program.
    let mut unfinished = tempfile::Builder::new().prefix("unfinished-").tempfile_in(&cache)?;
    let copied = open_made(&made).and_then(|made| io::copy(&mut made.take(MAX_PROGRAM_BYTES), &mut unfinished));
    copied.with_context(|| format!("cannot read the program compiled from {}", source.display()))?;
    files::make_executable(unfinished.as_file())?;
    unfinished.into_temp_path().persist(&program).with_context(|| format!("cannot write {}", program.display()))?;
    Ok(program)
}

/// Runs the compiler.
fn run(command: Vec<OsString>, mut mounts: Mounts, sandbox: &Sandbox, scratch: &TempDir, source: &Path) -> anyhow::Result<()> {
    let compiler = command[0].clone();
    let mut program = Program::new(command, LIMITS);
    if sandbox.tier() == Tier::C {
        return finish(program, &compiler, source);
    }
    mounts.scratch = Some(scratch.path().to_owned());
    mounts.environment.push(("TMPDIR".into(), scratch.path().into()));
    program.confine(sandbox, mounts).map_err(|reason| bad_input(format!("{}: {reason}", source.display())))?;
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
        Outcome::TasksOut | Outcome::OutputOut => refused("exceeded its limits of processes or output"),
        _ => Err(bad_input(complaint(source, &stderr))),
    }
}

/// Opens the compiled program. A link is rejected: it could lead to any file of the user.
fn open_made(made: &Path) -> io::Result<fs::File> {
    if !fs::symlink_metadata(made)?.is_file() {
        return Err(io::Error::other("the compiler made no program"));
    }
    fs::File::open(made)
}

fn read(source: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(source).map_err(|error| bad_input(format!("{}: {error}", source.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy().context("cannot find the home folder, where compiled bots are kept")?;
    let folder = base.cache_dir().join("pacman2");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    remove_abandoned(&folder);
    Ok(folder)
}

/// Removes the folders of compilers that were interrupted long ago.
fn remove_abandoned(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let is_unfinished = entry.file_name().to_str().is_some_and(|name| name.starts_with(SCRATCH));
        let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|then| then.elapsed().ok());
        if is_unfinished && changed.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the compiler that the user has chosen, if any.
pub(crate) fn chosen(language: &Compiler) -> Option<OsString> {
    env::var_os(language.variable).filter(|command| !command.is_empty())
}

fn command_of(language: &Compiler) -> OsString {
    chosen(language).unwrap_or_else(|| {
        let is_installed = |name: &&&str| find_in_path(OsStr::new(name)).is_some();
        language.commands.iter().find(is_installed).unwrap_or(&language.commands[0]).into()
    })
}

/// Returns the source and the local files that it includes, each with its text.
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

/// The extensions of files that may be included. Another bot's source may not.
const HEADERS: [&str; 8] = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tcc"];

/// Returns the headers that a file includes in quotes and that lie beside it or beside the source, where the compiler searches,
/// too. Only files in the source's folder or below count: the names are not trusted.
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
        // With its length: a line that moves from one file to the next has to change the hash.
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash::hexadecimal(&hash.finalize())
}

fn folder_of(source: &Path) -> &Path {
    source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces non-breaking spaces, which code copied from the wiki contains and compilers reject. Returns the file to compile.
fn cleaned(source: &Path, text: &str, scratch: &Path) -> anyhow::Result<PathBuf> {
    if !text.contains('\u{a0}') {
        return Ok(source.to_owned());
    }
    let copy = scratch.join("cleaned.cpp");
    let name = source.display().to_string().replace(['\\', '"'], "/");
    fs::write(&copy, format!("#line 1 \"{name}\"\n{}", text.replace('\u{a0}', " ")))?;
    Ok(copy)
}

/// Returns flags with which `jsoncpp/json.h` is found, as on Botzone. Usual installations have `json/json.h`.
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
    const MAX_LINES: usize = 20;
    let lines: Vec<&str> = stderr.lines().take(MAX_LINES).collect();
    let more = if stderr.lines().count() > MAX_LINES { "\n…" } else { "" };
    let hint = if stderr.contains("json.h") || stderr.contains("-ljsoncpp") {
        "\njsoncpp seems to be missing (Debian and Ubuntu: apt-get install libjsoncpp-dev)"
    } else {
        ""
    };
    format!("{} does not compile:\n{}{more}{hint}", source.display(), lines.join("\n"))
}
