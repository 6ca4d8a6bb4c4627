//! C++ bots: compiled with Botzone's flags, once for each content.

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
use pacman2_botzone::words::Locale;
use pacman2_console::error::{bad_input, coded, of_machine, uncompiled};
use pacman2_console::files::{self, folder_of};
use pacman2_console::text::sanitize;
use pacman2_match::problem::{of_sandbox, of_start};
use pacman2_runner::{Compiler, CppStandard, Language, Launch, Limits, Mounts, Outcome, Program, Question, Sandbox, Tier};
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempDir};

use crate::executables::find_in_path;
use crate::program_cache::{CachedProgram, ProgramCache};
use crate::source_files::{CppSource, SourceFiles};
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
/// What compilers and linkers say of a file or library that is not there.
const MISSING: [&str; 4] = ["No such file", "file not found", "cannot find -l", "unable to find library"];
/// The name of the program in the folder of the compiler.
const MADE: &str = "program";
/// How much space a compiler needs for its files.
const ROOM_BYTES: u64 = 32 * 1024 * 1024;
/// The size limit of a compiled program.
const MAX_PROGRAM_BYTES: u64 = 128 * 1024 * 1024;

/// A program that was compiled from a source.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) program: CachedProgram,
    /// The standard by which it was compiled.
    pub(crate) standard: CppStandard,
    /// Whether it does not compile by the usual standard.
    pub(crate) needs_standard: bool,
}

/// Returns the program of this source: from the cache, or compiled now, in the sandbox in which the bot will run. Without a
/// standard, an extension such as `cpp11` decides, else C++17 is tried and then C++11, as authors chose it in the past.
pub(crate) fn cpp(
    source: &CppSource<'_>,
    standard: Option<CppStandard>,
    language: &Compiler,
    sandbox: &Sandbox,
) -> anyhow::Result<CompiledProgram> {
    let files = SourceFiles::read(source)?;
    let cache = ProgramCache::open()?;
    let compilation = Compilation::new(source.path, &files, language, &cache, sandbox);
    let by = |standard, tried: &[CppStandard]| {
        let program = cache.find_or_make(&compilation.key(tried), || compilation.make(standard))?;
        Ok(CompiledProgram { program, standard, needs_standard: tried.len() > 1 })
    };
    if let Some(chosen) = standard.or_else(|| CppStandard::from_file(source.path)) {
        return by(chosen, &[chosen]).map_err(|error| compilation.explained(error));
    }
    let [usual, older] = [CppStandard::Cpp17, CppStandard::Cpp11];
    if let Some(program) = cache.find(&compilation.key(&[usual, older]))? {
        return Ok(CompiledProgram { program, standard: older, needs_standard: true });
    }
    by(usual, &[usual]).or_else(|error: anyhow::Error| {
        let depends_on_standard = error.downcast_ref().is_some_and(Rejection::may_depend_on_standard);
        let older = if depends_on_standard { by(older, &[usual, older]).ok() } else { None };
        older.ok_or_else(|| compilation.explained(error))
    })
}

/// Returns the command line that repeats a compilation in the folder of the source, for people.
pub fn shown_command(source: &CppSource<'_>, standard: CppStandard) -> Option<String> {
    let Launch::Compiler(language) = Language::Cpp.launch() else { return None };
    let (files, cache, sandbox) = (SourceFiles::read(source).ok()?, ProgramCache::open().ok()?, Sandbox::none());
    let compilation = Compilation::new(source.path, &files, language, &cache, &sandbox);
    let input = source.path.to_owned();
    let words = compilation.command(standard, compilation.linking(), [Some(&input), None], Path::new("bot")).ok()?;
    let (folder, name) = (folder_of(source.path).as_os_str(), source.path.file_name()?);
    let from_folder = |word: &OsString| match word.as_os_str() {
        word if word == source.path => name.to_string_lossy().into_owned(),
        word if word == folder => ".".to_owned(),
        word => word.to_string_lossy().into_owned(),
    };
    let words: Vec<String> = words.iter().map(from_folder).collect();
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

/// Returns a copy of a program that may be run.
pub(crate) fn executable(program: &Path) -> anyhow::Result<CachedProgram> {
    let cache = ProgramCache::open()?;
    let key = hash::of_files(&[program.to_owned()]).with_context(|| format!("cannot read {}", program.display()))?;
    cache.find_or_make(&key, || {
        let mut copy = cache.unfinished()?;
        fs::File::open(program)
            .and_then(|mut program| io::copy(&mut program, &mut copy))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        files::make_executable(copy.as_file())?;
        Ok(copy)
    })
}

/// What a compiler says of a source that it rejects.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Rejection(String);

impl Rejection {
    /// Returns whether the source may compile by another standard: it is not a file or library that is missing.
    fn may_depend_on_standard(&self) -> bool {
        !MISSING.iter().chain(&LINKER_FAILED).any(|words| self.0.contains(words))
    }
}

/// A source that is to be compiled, and how.
struct Compilation<'a> {
    source: &'a Path,
    files: &'a SourceFiles,
    compiler: OsString,
    language: &'a Compiler,
    cache: &'a ProgramCache,
    sandbox: &'a Sandbox,
}

impl<'a> Compilation<'a> {
    fn new(
        source: &'a Path,
        files: &'a SourceFiles,
        language: &'a Compiler,
        cache: &'a ProgramCache,
        sandbox: &'a Sandbox,
    ) -> Compilation<'a> {
        Compilation { source, files, compiler: command_of(language), language, cache, sandbox }
    }

    /// Returns the name of the program in the cache: a hash of all that it depends on, byte by byte.
    fn key(&self, standards: &[CppStandard]) -> String {
        let flags = self.language.flags.iter().chain(vector_flags()).chain(STATIC).copied();
        let flags = flags.chain(standards.iter().map(|standard| standard.name())).map(str::as_bytes);
        hash_of_parts(std::iter::once(self.compiler.as_encoded_bytes()).chain(flags).chain(self.files.parts()))
    }

    /// Compiles the source. Returns the complete program.
    fn make(&self, standard: CppStandard) -> anyhow::Result<NamedTempFile> {
        self.check_compiler()?;
        eprintln!("pacman2: compiling {} as {standard} …", sanitize(&self.source.display().to_string()));
        let mut compiled = self.run(standard, self.linking(), None)?;
        let unlinked = |compiled: &Result<TempDir, String>, part: &str| match compiled {
            Err(stderr) => stderr.contains(part) && LINKER_FAILED.iter().any(|words| stderr.contains(words)),
            Ok(_) => false,
        };
        if let Some(library) = &self.files.jsoncpp_source
            && unlinked(&compiled, "Json::")
        {
            compiled = self.run(standard, &[], Some(library))?;
        } else if !self.linking().is_empty() && unlinked(&compiled, "") {
            compiled = self.run(standard, &[], None)?;
        }
        self.kept(&compiled.map_err(Rejection)?)
    }

    /// Compiles the source, with another one if need be. Returns the folder with the program, or what the compiler says.
    fn run(&self, standard: CppStandard, linking: &[&str], library: Option<&PathBuf>) -> anyhow::Result<Result<TempDir, String>> {
        // The compiler can only write here.
        let scratch = self.cache.scratch()?;
        let input = cleaned(self.source, &self.files.texts[0], scratch.path())?;
        let command = self.command(standard, linking, [Some(&input), library], &scratch.path().join(MADE))?;
        let mut mounts = mounts::of_compiler(&self.compiler);
        mounts.readable.extend(self.files.paths.iter().cloned());
        mounts.readable.extend(Some(self.cache.folder().join("include")).filter(|_| self.files.needs_jsoncpp));
        let rejection = run(command, mounts, self.sandbox, &scratch, self.source)?;
        if rejection.is_some() {
            check_room(scratch.path())?;
        }
        Ok(rejection.map_or(Ok(scratch), Err))
    }

    /// Returns the command that compiles these files.
    fn command(
        &self,
        standard: CppStandard,
        linking: &[&str],
        inputs: [Option<&PathBuf>; 2],
        output: &Path,
    ) -> anyhow::Result<Vec<OsString>> {
        let needs_jsoncpp = self.files.needs_jsoncpp;
        let folder = folder_of(self.source);
        let mut command = vec![self.compiler.clone(), format!("-std={}", standard.name()).into()];
        command.extend(self.language.flags.iter().chain(vector_flags()).map(OsString::from));
        command.extend(["-iquote".into(), folder.into()]);
        if self.files.has_angled {
            command.extend(["-I".into(), folder.into()]);
        }
        if needs_jsoncpp {
            command.extend(jsoncpp_includes(self.cache.folder())?);
        }
        // Compilers do not know the extensions of downloads.
        let is_known = CppStandard::from_file(self.source).is_none();
        command.extend(["-x", "c++"].iter().filter(|_| !is_known).map(OsString::from));
        command.extend(inputs.into_iter().flatten().map(OsString::from));
        command.extend(["-x", "none"].iter().filter(|_| !is_known).map(OsString::from));
        command.extend(["-o".into(), output.into()]);
        command.extend(linking.iter().map(OsString::from));
        if needs_jsoncpp {
            command.extend(jsoncpp_libraries());
        }
        Ok(command)
    }

    /// Returns how programs are linked at first.
    fn linking(&self) -> &'static [&'static str] {
        // JsonCpp is rarely installed for that, and other systems than Linux do not have it.
        if cfg!(target_os = "linux") && !self.files.needs_jsoncpp { STATIC } else { &[] }
    }

    fn check_compiler(&self) -> anyhow::Result<()> {
        let (source, compiler, language) = (self.source, &self.compiler, self.language);
        if find_in_path(compiler).is_some() || Path::new(compiler).is_file() {
            return Ok(());
        }
        Err(coded(
            about("bot-no-compiler", source).with("program", compiler.to_string_lossy()).with("package", Language::Cpp.package()),
            format!(
                "{}: C++ compiler {} not found; install {} (Debian and Ubuntu: apt-get install {}), or set {}",
                source.display(),
                compiler.display(),
                language.commands.join(" or "),
                Language::Cpp.package(),
                language.variable
            ),
        ))
    }

    /// Copies the program from the folder of the compiler to the cache.
    fn kept(&self, scratch: &TempDir) -> anyhow::Result<NamedTempFile> {
        let source = self.source;
        let made = scratch.path().join(MADE);
        // Added when complete, so that a second match never runs half a program.
        let mut unfinished = self.cache.unfinished()?;
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

    /// Returns the error for a source that the compiler rejects. The compiler's own text stays as it is.
    fn explained(&self, error: anyhow::Error) -> anyhow::Error {
        const MAX_LINES: usize = 20;
        let Rejection(stderr) = match error.downcast() {
            Ok(rejection) => rejection,
            Err(error) => return error,
        };
        let lines: Vec<&str> = stderr.lines().take(MAX_LINES).collect();
        let more = if stderr.lines().count() > MAX_LINES { "\n…" } else { "" };
        let output = format!("{}{more}", lines.join("\n"));
        let is_missing = |words: &str| stderr.lines().any(|line| line.contains("json") && line.contains(words));
        let refused: Vec<&String> = self.files.refused.iter().filter(|name| stderr.contains(name.as_str())).collect();
        let (problem, hint) = if self.files.needs_jsoncpp && MISSING.iter().any(|words| is_missing(words)) {
            let hint = "\njsoncpp seems to be missing (Debian and Ubuntu: apt-get install libjsoncpp-dev)".to_owned();
            (Problem::new("compiler-jsoncpp"), hint)
        } else if let Some(name) = refused.first() {
            let hint = format!(
                "\na bot can only include files of its own folder, and in a folder with other bots only headers and sources without main: {name} is hidden from it"
            );
            (Problem::new("compiler-refused").with("name", name.as_str()), hint)
        } else {
            let missing = stderr.lines().find_map(missing_header);
            let hint = missing.iter().filter_map(|cause| cause.explanation(Locale::English));
            let hint = hint.map(|explanation| format!("\n{explanation}")).collect();
            let problem = Problem::new("compiler-output");
            (missing.map_or(problem.clone(), |cause| problem.because(&[cause])), hint)
        };
        let reason = format!("{} does not compile:\n{output}{hint}", self.source.display());
        uncompiled(problem.with("output", output), reason)
    }
}

/// Returns what is wrong if a line of the compiler says that there is no such header.
fn missing_header(line: &str) -> Option<Problem> {
    const OF_WINDOWS: [&str; 5] = ["conio.h", "direct.h", "tchar.h", "windows.h", "winsock2.h"];
    let (_, said) = line.split_once("fatal error: ")?;
    let name =
        said.strip_suffix(": No such file or directory").or_else(|| said.strip_suffix(" file not found"))?.trim_matches('\'');
    let code = match name.to_lowercase().as_str() {
        header if OF_WINDOWS.contains(&header) => "cause-windows-header",
        header if header.starts_with("bits/") || header.starts_with("ext/") => "cause-gcc-header",
        _ => "cause-header",
    };
    Some(Problem::new(code).with("name", name))
}

/// Returns flags for the vector instructions that Botzone's programs may use, as far as this machine has them. They do not change
/// results: no two operations are fused.
#[cfg(target_arch = "x86_64")]
fn vector_flags() -> &'static [&'static str] {
    if is_x86_feature_detected!("avx2") {
        &["-mavx2"]
    } else if is_x86_feature_detected!("avx") {
        &["-mavx"]
    } else {
        &[]
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_flags() -> &'static [&'static str] {
    &[]
}

/// Whether a file is a C++ source that includes files of its own.
pub fn includes_files(source: &CppSource<'_>) -> anyhow::Result<bool> {
    let is_source = matches!(Language::from_file(source.path).map(Language::launch), Some(Launch::Compiler(_)));
    Ok(is_source && SourceFiles::read(source)?.texts.len() > 1)
}

/// Returns the hash of a source: of its content or, with files of its own, of all of them.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn hash_of_source(source: &CppSource<'_>) -> anyhow::Result<Option<String>> {
    let sources = SourceFiles::read(source)?;
    if sources.texts.len() == 1 {
        Ok(hash::of_files(&[source.path.to_owned()]))
    } else {
        Ok(Some(hash_of_parts(sources.parts())))
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
    let unconfined = |error| of_machine(of_sandbox(&error), format!("{}: {error}", source.display()));
    program.confine(sandbox, mounts).map_err(unconfined)?;
    finish(program, &compiler, source)
}

/// Checks that a compiler had room for its files: where it had none, the source may be right.
fn check_room(scratch: &Path) -> anyhow::Result<()> {
    let failed = || format!("{}: expected {} MB of free space for compilers", scratch.display(), ROOM_BYTES / (1024 * 1024));
    let mut file = tempfile::tempfile_in(scratch).with_context(failed)?;
    io::copy(&mut io::repeat(0).take(ROOM_BYTES), &mut file).map(drop).with_context(failed)
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
            Err(match of_start(&error) {
                Some(problem) if error.is_of_machine() => of_machine(problem, &reason),
                Some(problem) => coded(problem, &reason),
                None => bad_input(&reason),
            })
        }
        Outcome::TimeOut(_) => limited("compiler-time", "took more than 120 s"),
        Outcome::MemoryOut => limited("compiler-memory", "took more than 2 GB of memory"),
        Outcome::TasksOut | Outcome::OutputOut => limited("compiler-limits", "exceeded its limits of processes or output"),
        _ => Ok(Some(String::from_utf8_lossy(&run.stderr).into_owned())),
    }
}

/// Returns a problem with a source.
pub(crate) fn about(code: &str, source: &Path) -> Problem {
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

/// Replaces non-breaking spaces, which code copied from the wiki contains and compilers reject. Returns the file to compile.
fn cleaned(source: &Path, text: &[u8], scratch: &Path) -> anyhow::Result<PathBuf> {
    let Some(text) = without_non_breaking_spaces(text) else { return Ok(source.to_owned()) };
    let copy = scratch.join("cleaned.cpp");
    let name = source.display().to_string().replace(['\\', '"'], "/");
    fs::write(&copy, format!("#line 1 \"{name}\"\n{text}"))?;
    Ok(copy)
}

/// Returns a source with blanks in their place; `None` if there are none.
pub(crate) fn without_non_breaking_spaces(text: &[u8]) -> Option<String> {
    // In other encodings than UTF-8 these bytes are parts of other characters.
    let text = str::from_utf8(text).ok().filter(|text| text.contains('\u{a0}'))?;
    Some(text.replace('\u{a0}', " "))
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
