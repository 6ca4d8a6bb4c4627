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
use pacman2_botzone::problem::Problem;
use pacman2_console::error::{bad_input, coded, uncompiled};
use pacman2_console::files::{self, folder_of};
use pacman2_console::text::sanitize;
use pacman2_match::problem::{of_sandbox, of_start};
use pacman2_runner::{
    Compiler, InputFileError, Language, Launch, Limits, Mounts, Outcome, Program, Question, Sandbox, Tier, lexically_normal,
    read_input_file,
};
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempDir};

use crate::executables::find_in_path;
use crate::program_cache::{CachedProgram, ProgramCache};
use crate::{hash, mounts};

/// The limits of a compiler. Large headers take hundreds of megabytes.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(120)),
    cpu: Some(Duration::from_secs(120)),
    memory_bytes: Some(2 * 1024 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    tasks: Some(64),
};
/// How programs are linked where the libraries for that are installed: a program that contains them starts in less than half of
/// the time, and most bots start in every turn. With older C libraries, threads need all of this one.
const STATIC: &[&str] = &["-static", "-Wl,--whole-archive", "-lpthread", "-Wl,--no-whole-archive"];
/// What compilers say when the linker has failed.
const LINKER_FAILED: [&str; 2] = ["ld returned", "linker command failed"];
/// The name of the program in the folder of the compiler.
const MADE: &str = "program";
/// The size limit of a compiled program.
const MAX_PROGRAM_BYTES: u64 = 128 * 1024 * 1024;
/// The limits of a source with the headers that it includes: their size, their number, how many names they include, and how
/// deep includes are nested, which is also the limit of g++.
const MAX_SOURCE_BYTES: u64 = 32 * 1024 * 1024;
const MAX_SOURCE_FILES: usize = 1000;
const MAX_INCLUDES: usize = 10_000;
const MAX_INCLUDE_DEPTH: usize = 200;

/// Returns the program of this source: from the cache, or compiled now, in the sandbox in which the bot will run.
pub(crate) fn cpp(source: &Path, language: &Compiler, sandbox: &Sandbox) -> anyhow::Result<CachedProgram> {
    let sources = SourceFiles::read(source)?;
    let cache = ProgramCache::open()?;
    let compiler = command_of(language);
    let key = sources.key(&compiler, language);
    cache.find_or_make(&key, || make(source, sources, compiler, language, &cache, sandbox))
}

/// Compiles a source. Returns the complete program.
fn make(
    source: &Path,
    sources: SourceFiles,
    compiler: OsString,
    language: &Compiler,
    cache: &ProgramCache,
    sandbox: &Sandbox,
) -> anyhow::Result<NamedTempFile> {
    if find_in_path(&compiler).is_none() && !Path::new(&compiler).is_file() {
        return Err(coded(
            about("bot-no-compiler", source).with("program", compiler.to_string_lossy()).with("package", Language::Cpp.package()),
            format!(
                "{}: C++ compiler {} not found; install {} (Debian and Ubuntu: apt-get install {}), or set {}",
                source.display(),
                compiler.display(),
                language.commands.join(" or "),
                Language::Cpp.package(),
                language.variable
            ),
        ));
    }
    eprintln!("pacman2: compiling {} …", sanitize(&source.display().to_string()));
    let needs_jsoncpp = sources.contain(b"jsoncpp/json.h") || sources.contain(b"json/json.h");
    // JsonCpp is rarely installed for that, and other systems than Linux do not have it.
    let can_be_static = cfg!(target_os = "linux") && !needs_jsoncpp;
    let compile = |linking: &[&str]| -> anyhow::Result<_> {
        // The compiler can only write here.
        let scratch = cache.scratch()?;
        let input = cleaned(source, &sources.texts[0], scratch.path())?;
        let mut command = vec![compiler.clone()];
        command.extend(language.flags.iter().map(OsString::from));
        command.extend(["-iquote".into(), folder_of(source).into()]);
        if needs_jsoncpp {
            command.extend(jsoncpp_includes(cache.folder())?);
        }
        command.extend([input.into(), "-o".into(), scratch.path().join(MADE).into()]);
        command.extend(linking.iter().map(OsString::from));
        if needs_jsoncpp {
            command.extend(jsoncpp_libraries());
        }
        let mut mounts = mounts::of_compiler(&compiler);
        mounts.readable.extend(sources.paths.iter().cloned());
        mounts.readable.extend(Some(cache.folder().join("include")).filter(|_| needs_jsoncpp));
        let rejection = run(command, mounts, sandbox, &scratch, source)?;
        Ok((scratch, rejection))
    };
    let (mut scratch, mut rejection) = compile(if can_be_static { STATIC } else { &[] })?;
    if can_be_static && rejection.as_ref().is_some_and(|stderr| LINKER_FAILED.iter().any(|words| stderr.contains(words))) {
        (scratch, rejection) = compile(&[])?;
    }
    if let Some(stderr) = rejection {
        return Err(rejected(source, &stderr));
    }
    let made = scratch.path().join(MADE);
    // Added when complete, so that a second match never runs half a program.
    let mut unfinished = cache.unfinished()?;
    // A link is rejected: it could lead to any file of the user.
    if !fs::symlink_metadata(&made).is_ok_and(|made| made.is_file()) {
        let reason = format!("{}: the compiler made no program", source.display());
        return Err(coded(about("compiler-without-program", source), reason));
    }
    let size = copy_made(&made, &mut unfinished)
        .with_context(|| format!("cannot read the program compiled from {}", source.display()))?;
    if size > MAX_PROGRAM_BYTES {
        let megabytes = MAX_PROGRAM_BYTES / (1024 * 1024);
        return Err(coded(
            about("program-too-large", source).with("max_mb", megabytes),
            format!(
                "{}: expected a compiled program of at most {megabytes} MB, got a larger one; make its arrays smaller",
                source.display()
            ),
        ));
    }
    files::make_executable(unfinished.as_file())?;
    Ok(unfinished)
}

/// Whether a file is a C++ source that includes headers of its own.
pub fn includes_headers(file: &Path) -> anyhow::Result<bool> {
    let is_source = matches!(Language::from_file(file).map(Language::launch), Some(Launch::Compiler(_)));
    Ok(is_source && SourceFiles::read(file)?.texts.len() > 1)
}

/// Returns the hash of a source: of its content or, with headers of its own, of all of them.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn hash_of_source(source: &Path) -> anyhow::Result<Option<String>> {
    let sources = SourceFiles::read(source)?;
    if sources.texts.len() == 1 { Ok(hash::of_files(&[source.to_owned()])) } else { Ok(Some(hash_of_parts(sources.parts()))) }
}

/// Runs the compiler. Returns what it says if it rejects the source.
fn run(
    command: Vec<OsString>,
    mut mounts: Mounts,
    sandbox: &Sandbox,
    scratch: &TempDir,
    source: &Path,
) -> anyhow::Result<Option<String>> {
    let compiler = command[0].clone();
    let mut program = Program::new(command, LIMITS);
    if sandbox.tier() == Tier::C {
        return finish(program, &compiler, source);
    }
    mounts.scratch = Some(scratch.path().to_owned());
    mounts.environment.push(("TMPDIR".into(), scratch.path().into()));
    let unconfined = |error| coded(of_sandbox(&error), format!("{}: {error}", source.display()));
    program.confine(sandbox, mounts).map_err(unconfined)?;
    finish(program, &compiler, source)
}

fn finish(mut program: Program, compiler: &OsStr, source: &Path) -> anyhow::Result<Option<String>> {
    let run = program.ask(Question::once(""), &AtomicBool::new(false));
    let limited = |code, what: &str| {
        let problem = Problem::new(code).with("program", compiler.to_string_lossy());
        Err(uncompiled(problem, format!("{} does not compile: {} {what}", source.display(), compiler.display())))
    };
    match run.outcome {
        Outcome::Answered => Ok(None),
        Outcome::NotStarted(error) => {
            let reason = format!("{}: {error}", source.display());
            Err(of_start(&error).map_or_else(|| bad_input(&reason), |problem| coded(problem, &reason)))
        }
        Outcome::TimeOut(_) => limited("compiler-time", "took more than 120 s"),
        Outcome::MemoryOut => limited("compiler-memory", "took more than 2 GB of memory"),
        Outcome::TasksOut | Outcome::OutputOut => limited("compiler-limits", "exceeded its limits of processes or output"),
        _ => Ok(Some(String::from_utf8_lossy(&run.stderr).into_owned())),
    }
}

/// Returns a problem with a source.
fn about(code: &str, source: &Path) -> Problem {
    Problem::new(code).with("file", source.to_string_lossy())
}

/// Copies the compiled program, or a little more than its size limit.
fn copy_made(made: &Path, to: &mut NamedTempFile) -> io::Result<u64> {
    io::copy(&mut fs::File::open(made)?.take(MAX_PROGRAM_BYTES + 1), to)
}

/// Returns the compiler that the user has chosen, if any.
pub fn chosen(language: &Compiler) -> Option<OsString> {
    env::var_os(language.variable).filter(|command| !command.is_empty())
}

fn command_of(language: &Compiler) -> OsString {
    chosen(language).unwrap_or_else(|| {
        let is_installed = |name: &&&str| find_in_path(OsStr::new(name)).is_some();
        language.commands.iter().find(is_installed).unwrap_or(&language.commands[0]).into()
    })
}

/// A source and the local headers that it includes.
struct SourceFiles {
    /// The content of each file, the source first.
    texts: Vec<Vec<u8>>,
    /// The paths by which the compiler finds the files. A file has several if it is included by several spellings.
    paths: Vec<PathBuf>,
}

impl SourceFiles {
    /// Reads each file once, however often and by whatever spelling it is included: the walk takes place outside the sandbox.
    fn read(source: &Path) -> anyhow::Result<SourceFiles> {
        let real_path = |path: &Path| fs::canonicalize(path).map_err(|error| files::unreadable(path, &error.into()));
        let folder = real_path(folder_of(source))?;
        let mut files = SourceFiles { texts: Vec::new(), paths: vec![source.to_owned()] };
        let mut level = vec![SourceFile { named: source.to_owned(), real: real_path(source)? }];
        let mut seen = BTreeSet::from([level[0].real.clone()]);
        let (mut bytes_left, mut includes_left) = (MAX_SOURCE_BYTES, MAX_INCLUDES);
        for _ in 0..MAX_INCLUDE_DEPTH {
            let mut next = Vec::new();
            for file in level {
                let text = read_input_file(&file.real, bytes_left).map_err(|error| match error {
                    InputFileError::TooLarge { .. } => too_much(source, MAX_SOURCE_BYTES / (1024 * 1024), "MB"),
                    error => files::unreadable(&file.named, &error),
                })?;
                bytes_left -= text.len() as u64;
                let names = included_names(&text);
                includes_left = usize::checked_sub(includes_left, names.len())
                    .ok_or_else(|| too_much(source, MAX_INCLUDES as u64, "includes"))?;
                for header in headers(source, &folder, &file, names) {
                    for path in [&header.named, &header.real] {
                        if !files.paths.contains(path) {
                            files.paths.push(path.clone());
                        }
                    }
                    if seen.insert(header.real.clone()) {
                        next.push(header);
                    }
                    if files.paths.len() > MAX_SOURCE_FILES {
                        return Err(too_much(source, MAX_SOURCE_FILES as u64, "files"));
                    }
                }
                files.texts.push(text);
            }
            if next.is_empty() {
                return Ok(files);
            }
            level = next;
        }
        Err(too_much(source, MAX_INCLUDE_DEPTH as u64, "levels of includes"))
    }

    fn contain(&self, word: &[u8]) -> bool {
        self.texts.iter().any(|text| text.windows(word.len()).any(|part| part == word))
    }

    /// Returns the name of the program in the cache: a hash of all that it depends on, byte by byte.
    fn key(&self, compiler: &OsStr, language: &Compiler) -> String {
        let flags = language.flags.iter().chain(STATIC).map(|flag| flag.as_bytes());
        hash_of_parts(std::iter::once(compiler.as_encoded_bytes()).chain(flags).chain(self.parts()))
    }

    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(Vec::as_slice)
    }
}

fn hash_of_parts<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // With its length: a line that moves from one file to the next has to change the hash.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash::hexadecimal(&hash.finalize())
}

/// Returns the error for a source that includes too much: more than a limit, counted in `unit`.
fn too_much(source: &Path, max: u64, unit: &str) -> anyhow::Error {
    let file = source.display();
    coded(
        about("source-too-large", source).with("max", max).with("unit", unit),
        format!("{file}: expected at most {max} {unit} with the headers that it includes, got more; include less"),
    )
}

/// The extensions of files that may be included. Another bot's source may not.
const HEADERS: [&str; 8] = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tcc"];

/// Returns whether a file may be included, by the extension of its name.
pub(crate) fn is_header(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ending| HEADERS.contains(&ending))
}

/// A source or header: the path by which the compiler finds it, and the same without links.
struct SourceFile {
    named: PathBuf,
    real: PathBuf,
}

/// Returns the headers of these names that lie beside the file that includes them or beside the source, where the compiler
/// searches, too. Only files in the source's folder or below count: the names are not trusted.
fn headers(source: &Path, folder: &Path, file: &SourceFile, names: BTreeSet<&str>) -> Vec<SourceFile> {
    let here = env::current_dir().unwrap_or_default();
    let found = |path: PathBuf| {
        let real = fs::canonicalize(&path).ok().filter(|real| real.is_file() && real.starts_with(folder))?;
        // Behind a link, `..` leads elsewhere than it seems to.
        let named = lexically_normal(&here.join(path));
        let named = if fs::canonicalize(&named).is_ok_and(|other| other == real) { named } else { real.clone() };
        Some(SourceFile { named, real })
    };
    let folders = [folder_of(&file.named), folder_of(&file.real), folder_of(source)];
    let places = names.into_iter().flat_map(|name| folders.map(|folder| folder.join(name)));
    places.filter(|path| is_header(path)).filter_map(found).collect()
}

/// Returns the names of the files that a text includes in quotes.
fn included_names(text: &[u8]) -> BTreeSet<&str> {
    let name = |line| {
        let name = skip_spaces(skip_spaces(skip_spaces(line).strip_prefix(b"#")?).strip_prefix(b"include")?);
        str::from_utf8(name.strip_prefix(b"\"")?.split(|&byte| byte == b'"').next()?).ok()
    };
    text.split(|&byte| byte == b'\n').filter_map(name).collect()
}

/// Skips spaces, also those of the wiki, and a byte order mark.
fn skip_spaces(text: &[u8]) -> &[u8] {
    let rest = text.trim_ascii_start();
    let others = ["\u{a0}", "\u{feff}"].iter().find_map(|space| rest.strip_prefix(space.as_bytes()));
    others.map_or(rest, skip_spaces)
}

/// Replaces non-breaking spaces, which code copied from the wiki contains and compilers reject. Returns the file to compile.
fn cleaned(source: &Path, text: &[u8], scratch: &Path) -> anyhow::Result<PathBuf> {
    // In other encodings than UTF-8 these bytes are parts of other characters.
    let Some(text) = str::from_utf8(text).ok().filter(|text| text.contains('\u{a0}')) else { return Ok(source.to_owned()) };
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

/// Returns the error for a source that the compiler rejects. The compiler's own text stays as it is.
fn rejected(source: &Path, stderr: &str) -> anyhow::Error {
    const MAX_LINES: usize = 20;
    let lines: Vec<&str> = stderr.lines().take(MAX_LINES).collect();
    let more = if stderr.lines().count() > MAX_LINES { "\n…" } else { "" };
    let output = format!("{}{more}", lines.join("\n"));
    let (problem, hint) = if stderr.contains("json.h") || stderr.contains("-ljsoncpp") {
        let hint = "\njsoncpp seems to be missing (Debian and Ubuntu: apt-get install libjsoncpp-dev)";
        (Problem::new("compiler-jsoncpp"), hint)
    } else {
        (Problem::new("compiler-output"), "")
    };
    let reason = format!("{} does not compile:\n{output}{hint}", source.display());
    uncompiled(problem.with("output", output), reason)
}
