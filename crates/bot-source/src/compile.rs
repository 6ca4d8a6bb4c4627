//! Sources of bots: compiled with Botzone's flags, once for each content.

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
use pacman2_console::error::{bad_input, coded, in_words, of_machine, uncompiled};
use pacman2_console::files::{self, folder_of};
use pacman2_console::text::sanitize;
use pacman2_match::problem::{from_sandbox, from_start};
use pacman2_runner::{Compiler, CppStandard, Language, Limits, Mounts, Outcome, Program, Question, Sandbox, Tier};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempDir};

use crate::diagnostics::{self, Diagnostic};
use crate::executables::{find_in_path, how_to_install};
use crate::program_cache::{CachedProgram, ProgramCache};
use crate::source_files::{MainSource, Refusal, SourceFiles};
use crate::{archive, bot_folder, hash, mounts};

/// The limits of a compiler. Large headers take hundreds of megabytes.
const LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(120)),
    cpu: Some(Duration::from_secs(120)),
    memory_bytes: Some(2 * 1024 * 1024 * 1024),
    output_bytes: Some(1024 * 1024),
    // A virtual machine starts threads for each processor.
    tasks: Some(512),
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
/// How many files a compiler may write that become a program.
const MAX_PACKED_FILES: usize = 2000;

/// A program that was compiled from a source.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) program: CachedProgram,
    /// The standard of C++ by which it was compiled, and whether it does not compile by the usual one.
    pub(crate) standard: Option<(CppStandard, bool)>,
}

/// Returns the program of this source: from the cache, or compiled now, in the sandbox in which the bot will run. Without a
/// standard of C++, an extension such as `cpp11` decides, else C++17 is tried and then C++11, as authors chose it in the past.
pub(crate) fn program(
    source: &MainSource<'_>,
    standard: Option<CppStandard>,
    language: Language,
    compiler: &Compiler,
    sandbox: &Sandbox,
) -> anyhow::Result<CompiledProgram> {
    let files = SourceFiles::read(source)?;
    let cache = ProgramCache::open()?;
    let compilation = Compilation::new(source.path, &files, language, compiler, &cache, sandbox);
    let by = |standard: Option<CppStandard>, tried: &[CppStandard]| {
        let program = cache.find_or_make(&compilation.key(tried), || compilation.make(standard))?;
        Ok(CompiledProgram { program, standard: standard.map(|standard| (standard, tried.len() > 1)) })
    };
    if language != Language::Cpp {
        return by(None, &[]).map_err(|error| compilation.explained(error));
    }
    if let Some(chosen) = standard.or_else(|| CppStandard::from_file(source.path)) {
        return by(Some(chosen), &[chosen]).map_err(|error| compilation.explained(error));
    }
    let [usual, older] = [CppStandard::Cpp17, CppStandard::Cpp11];
    if let Some(program) = cache.find(&compilation.key(&[usual, older]))? {
        return Ok(CompiledProgram { program, standard: Some((older, true)) });
    }
    by(Some(usual), &[usual]).or_else(|error: anyhow::Error| {
        let depends_on_standard = error.downcast_ref().is_some_and(Rejection::may_depend_on_standard);
        let older = if depends_on_standard { by(Some(older), &[usual, older]).ok() } else { None };
        older.ok_or_else(|| compilation.explained(error))
    })
}

/// Returns the command line that repeats a compilation in the folder of the source, for people; `None` if the file is no source.
pub fn shown_command(source: &MainSource<'_>, standard: CppStandard) -> Option<String> {
    let (language, compiler) = (Language::from_file(source.path)?, Compiler::from_file(source.path)?);
    let (files, cache, sandbox) = (SourceFiles::read(source).ok()?, ProgramCache::open().ok()?, Sandbox::none());
    let compilation = Compilation::new(source.path, &files, language, compiler, &cache, &sandbox);
    let standard = Some(standard).filter(|_| language == Language::Cpp);
    let attempt = Attempt { standard, linking: compilation.linking(), library: None };
    let places =
        Places { source: source.path, folder: folder_of(source.path), program: Path::new("bot"), scratch: Path::new(".") };
    let file = source.path.file_name()?.to_str()?;
    let copy = compilation.copy();
    let name = copy.as_ref().map_or(file, |copy| copy.name());
    let folder = places.folder.as_os_str();
    let from_folder = |word: &OsString| match word.as_os_str() {
        word if word == source.path => name.to_owned(),
        word if word == folder => ".".to_owned(),
        word => word.to_string_lossy().into_owned(),
    };
    let words = compilation.words(&compilation.command, &attempt, &places).ok()?;
    let words: Vec<String> = words.iter().map(from_folder).collect();
    let command = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    let quoted = shlex::try_quote(file).ok()?;
    Some(match copy {
        Some(SourceCopy::Cleaned(_)) => format!(r"sed 's/\xc2\xa0/ /g' {quoted} > {name} && {command}"),
        Some(SourceCopy::Named(_)) if file != name => format!("cp {quoted} {name} && {command}"),
        _ => command,
    })
}

/// Returns the command that runs a compiled program.
pub(crate) fn run_command(compiler: &Compiler, program: &Path) -> Vec<OsString> {
    Places { source: program, folder: program, program, scratch: program }.fill(compiler.run)
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
    language: Language,
    compiler: &'a Compiler,
    /// The command of the compiler.
    command: OsString,
    cache: &'a ProgramCache,
    sandbox: &'a Sandbox,
}

/// What differs between attempts to compile a source.
struct Attempt<'a> {
    standard: Option<CppStandard>,
    /// How the program is linked.
    linking: &'a [&'a str],
    /// A source that is compiled with it.
    library: Option<&'a Path>,
}

/// A copy of a source that is compiled in its place.
enum SourceCopy {
    /// Under the name that the compiler needs.
    Named(&'static str),
    /// Without non-breaking spaces, which code copied from the wiki contains and compilers reject, and without detours of includes.
    Cleaned(String),
}

impl SourceCopy {
    fn name(&self) -> &'static str {
        match self {
            SourceCopy::Named(name) => name,
            SourceCopy::Cleaned(_) => "cleaned.cpp",
        }
    }
}

/// What the words of commands in the table stand for.
struct Places<'a> {
    source: &'a Path,
    folder: &'a Path,
    program: &'a Path,
    scratch: &'a Path,
}

impl Places<'_> {
    fn fill(&self, words: &[&str]) -> Vec<OsString> {
        let places = [("SOURCE", self.source), ("FOLDER", self.folder), ("PROGRAM", self.program), ("SCRATCH", self.scratch)];
        let fill = |word: &&str| {
            let parts = places.iter().find_map(|(name, path)| Some((word.split_once(name)?, path)));
            let Some(((before, after), path)) = parts else { return OsString::from(word) };
            let mut filled = OsString::from(before);
            filled.push(path);
            filled.push(after);
            filled
        };
        words.iter().map(fill).collect()
    }
}

impl<'a> Compilation<'a> {
    fn new(
        source: &'a Path,
        files: &'a SourceFiles,
        language: Language,
        compiler: &'a Compiler,
        cache: &'a ProgramCache,
        sandbox: &'a Sandbox,
    ) -> Compilation<'a> {
        Compilation { source, files, language, compiler, command: command_of(compiler), cache, sandbox }
    }

    /// Returns the name of the program in the cache: a hash of all that it depends on, byte by byte.
    fn key(&self, standards: &[CppStandard]) -> String {
        let libraries = self.libraries();
        let words = self.compiler.arguments.iter().chain(&libraries).chain(self.vector_flags());
        let words = words.chain(STATIC).copied().chain(standards.iter().map(|standard| standard.name())).map(str::as_bytes);
        hash_of_parts(std::iter::once(self.command.as_encoded_bytes()).chain(words).chain(self.files.parts()))
    }

    /// Compiles the source. Returns the complete program.
    fn make(&self, standard: Option<CppStandard>) -> anyhow::Result<NamedTempFile> {
        check_compiler(self.source, self.language, self.compiler)?;
        let name = standard.map_or_else(|| self.language.name().to_owned(), |standard| standard.to_string());
        eprintln!("pacman2: compiling {} as {name} …", sanitize(&self.source.display().to_string()));
        let usual = Attempt { standard, linking: self.linking(), library: None };
        let mut compiled = self.run(&usual)?;
        let unlinked = |compiled: &Result<TempDir, String>, part: &str| match compiled {
            Err(said) => said.contains(part) && LINKER_FAILED.iter().any(|words| said.contains(words)),
            Ok(_) => false,
        };
        if let Some(library) = &self.files.jsoncpp_source
            && unlinked(&compiled, "Json::")
        {
            compiled = self.run(&Attempt { linking: &[], library: Some(library), ..usual })?;
        } else if !usual.linking.is_empty() && unlinked(&compiled, "") {
            compiled = self.run(&Attempt { linking: &[], ..usual })?;
        }
        self.kept(&compiled.map_err(Rejection)?)
    }

    /// Compiles the source once. Returns the folder with the program, or what the compiler says.
    fn run(&self, attempt: &Attempt<'_>) -> anyhow::Result<Result<TempDir, String>> {
        // The compiler can only write here.
        let scratch = self.cache.scratch()?;
        let input = self.input(scratch.path())?;
        let program = scratch.path().join(MADE);
        let places = Places { source: &input, folder: folder_of(self.source), program: &program, scratch: scratch.path() };
        let compiler = self.installed()?;
        let words = self.words(&compiler, attempt, &places)?;
        let Some(said) = run(words, self.mounts(&compiler, scratch.path()), self.sandbox, self.source)? else {
            return Ok(Ok(scratch));
        };
        check_room(scratch.path())?;
        // The path of a copy means nothing to its author.
        let (copy, source) = (input.display().to_string(), self.source.display().to_string());
        Ok(Err(said.replace(&copy, &source).replace(&format!("{}/", scratch.path().display()), "")))
    }

    /// Returns the copy that is compiled in place of the source, if the compiler needs one.
    fn copy(&self) -> Option<SourceCopy> {
        self.compiler.source_name.map(SourceCopy::Named).or_else(|| self.cleaned().map(SourceCopy::Cleaned))
    }

    fn cleaned(&self) -> Option<String> {
        let text = str::from_utf8(&self.files.texts[0]).ok().filter(|_| self.compiler.has_includes)?;
        let without_blanks = without_non_breaking_spaces(text.as_bytes()).unwrap_or_else(|| text.to_owned());
        let quoted = |name: &str| format!("\"{name}\"");
        let cleaned =
            self.files.detours.iter().fold(without_blanks, |text, (name, plain)| text.replace(&quoted(name), &quoted(plain)));
        (cleaned != text).then_some(cleaned)
    }

    /// Returns the file to compile.
    fn input(&self, scratch: &Path) -> anyhow::Result<PathBuf> {
        let Some(copy) = self.copy() else { return Ok(self.source.to_owned()) };
        let file = scratch.join(copy.name());
        match copy {
            SourceCopy::Named(_) => fs::write(&file, &self.files.texts[0])?,
            SourceCopy::Cleaned(text) => {
                let name = self.source.display().to_string().replace(['\\', '"'], "/");
                fs::write(&file, format!("#line 1 \"{name}\"\n{text}"))?;
            }
        }
        Ok(file)
    }

    fn mounts(&self, compiler: &OsStr, scratch: &Path) -> Mounts {
        let mut mounts = mounts::of_compiler(compiler);
        mounts.readable.extend(self.files.paths.iter().cloned());
        mounts.readable.extend(Some(self.cache.folder().join("include")).filter(|_| self.files.needs_jsoncpp));
        mounts.scratch = Some(scratch.to_owned());
        mounts.environment.extend(["TMPDIR", "HOME"].map(|name| (name.into(), scratch.into())));
        mounts.environment.extend(self.compiler.environment.iter().map(|(name, value)| (name.into(), value.into())));
        mounts
    }

    /// Returns the compiler itself, if its command may only lead there: what else lies beside that command is not for sources to read.
    fn installed(&self) -> anyhow::Result<OsString> {
        if self.compiler.print_folder.is_empty() {
            return Ok(self.command.clone());
        }
        let shown = self.command.display();
        // In another folder, a file could choose another compiler.
        let output = Command::new(&self.command).args(self.compiler.print_folder).current_dir("/").output();
        let output = output.with_context(|| format!("cannot run {shown}"))?;
        anyhow::ensure!(output.status.success(), "{shown} does not work: {}", String::from_utf8_lossy(&output.stderr).trim_end());
        let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
        let found = Path::new(&self.command).file_name().map(|name| folder.join("bin").join(name));
        Ok(found.filter(|path| path.is_file()).map_or_else(|| self.command.clone(), PathBuf::into_os_string))
    }

    /// Returns the command that compiles these files.
    fn words(&self, compiler: &OsStr, attempt: &Attempt<'_>, places: &Places<'_>) -> anyhow::Result<Vec<OsString>> {
        let mut command = vec![compiler.to_owned()];
        command.extend(attempt.standard.map(|standard| format!("-std={}", standard.name()).into()));
        command.extend(self.vector_flags().iter().map(OsString::from));
        // Compilers do not know the extensions of downloads.
        let is_download = CppStandard::from_file(self.source).is_some();
        command.extend(["-x", "c++"].iter().filter(|_| is_download).map(OsString::from));
        command.extend(places.fill(self.compiler.arguments));
        command.extend(["-x", "none"].iter().filter(|_| is_download).map(OsString::from));
        command.extend(self.libraries().iter().map(OsString::from));
        if self.files.has_angled {
            command.extend(["-I".into(), places.folder.into()]);
        }
        if self.files.needs_jsoncpp {
            command.extend(jsoncpp_includes(self.cache.folder())?);
        }
        command.extend(attempt.library.map(OsString::from));
        command.extend(attempt.linking.iter().map(OsString::from));
        if self.files.needs_jsoncpp {
            command.extend(jsoncpp_libraries());
        }
        Ok(command)
    }

    /// Returns the arguments for libraries that are installed.
    fn libraries(&self) -> Vec<&'static str> {
        let installed = self.compiler.libraries.iter().filter(|library| Path::new(library.file).is_file());
        installed.flat_map(|library| library.arguments).copied().collect()
    }

    fn vector_flags(&self) -> &'static [&'static str] {
        if self.compiler.has_includes { vector_flags() } else { &[] }
    }

    /// Returns how programs are linked at first.
    fn linking(&self) -> &'static [&'static str] {
        // JsonCpp is rarely installed for that, and other systems than Linux do not have it.
        let is_possible = cfg!(target_os = "linux") && self.compiler.has_includes && !self.files.needs_jsoncpp;
        if is_possible { STATIC } else { &[] }
    }

    /// Copies the program from the folder of the compiler to the cache.
    fn kept(&self, scratch: &TempDir) -> anyhow::Result<NamedTempFile> {
        let source = self.source;
        let made = scratch.path().join(MADE);
        let is_packed = match self.compiler.packed {
            Some((folder, needed)) => pack(&scratch.path().join(folder), needed, &made)?,
            None => true,
        };
        // Added when complete, so that a second match never runs half a program.
        let mut unfinished = self.cache.unfinished()?;
        // A link is rejected: it could lead to any file of the user.
        if !fs::symlink_metadata(&made).is_ok_and(|made| made.is_file()) {
            let reason = format!("{}: the compiler made no program", source.display());
            return Err(coded(about("compiler-without-program", source), reason));
        }
        let size = copy_made(&made, &mut unfinished)
            .with_context(|| format!("cannot read the program compiled from {}", source.display()))?;
        if size > MAX_PROGRAM_BYTES || !is_packed {
            let megabytes = MAX_PROGRAM_BYTES / (1024 * 1024);
            return Err(in_words(about("program-too-large", source).with("max_mb", megabytes)));
        }
        files::make_executable(unfinished.as_file())?;
        Ok(unfinished)
    }

    /// Returns the error for a source that the compiler rejects. The compiler's own text stays as it is.
    fn explained(&self, error: anyhow::Error) -> anyhow::Error {
        const MAX_LINES: usize = 20;
        let Rejection(said) = match error.downcast() {
            Ok(rejection) => rejection,
            Err(error) => return error,
        };
        let lines: Vec<&str> = said.lines().take(MAX_LINES).collect();
        let more = if said.lines().count() > MAX_LINES { "\n…" } else { "" };
        let output = format!("{}{more}", lines.join("\n"));
        let hint = self.hint(&said);
        let words = hint.as_ref().and_then(|hint| hint.explanation(Locale::English));
        let words = words.map_or_else(String::new, |words| format!("\n{words}"));
        let reason = format!("{} does not compile:\n{output}{words}", self.source.display());
        let of_lines: Value = diagnostics::find(&said).iter().map(Diagnostic::to_json).collect();
        let problem = Problem::new("compiler-output").because(hint.as_slice()).with("output", output);
        uncompiled(problem.with("diagnostics", of_lines), reason)
    }

    /// Returns what to do about what the compiler says, if that is known.
    fn hint(&self, said: &str) -> Option<Problem> {
        let is_missing = |words: &&str| said.lines().any(|line| line.contains("json") && line.contains(words));
        let library =
            self.compiler.libraries.iter().find(|library| said.contains(library.name) && !Path::new(library.file).is_file());
        let missing = if self.files.needs_jsoncpp && MISSING.iter().any(is_missing) {
            Some(("jsoncpp", "libjsoncpp-dev"))
        } else {
            library.map(|library| (library.name, library.package))
        };
        if let Some((name, package)) = missing {
            return Some(Problem::new("compiler-library").with("name", name).with("package", package));
        }
        if let Some((name, refusal)) = self.files.refused.iter().find(|(name, _)| said.contains(name.as_str())) {
            let code = match refusal {
                Refusal::Outside => "compiler-outside",
                Refusal::Link => "compiler-link",
                Refusal::OtherBot => "compiler-other-bot",
            };
            return Some(Problem::new(code).with("name", name.as_str()));
        }
        if let Some((name, part)) = self.part_left_out(said) {
            return Some(Problem::new("compiler-part").with("name", name).with("part", part));
        }
        if self.compiler.wrong_main_class.iter().any(|words| said.contains(words)) {
            return Some(Problem::new("compiler-main-class"));
        }
        said.lines().find_map(missing_header)
    }

    /// Returns a function that the linker did not find, and the source beside this one that has it and is not included.
    fn part_left_out<'s>(&self, said: &'s str) -> Option<(&'s str, String)> {
        let parts = bot_folder::parts_in(folder_of(self.source));
        let is_no_word = |c: char| !c.is_alphanumeric() && c != '_';
        let left_out = |file: &&PathBuf| !fs::canonicalize(file).is_ok_and(|real| self.files.paths.contains(&real));
        let texts: Vec<(&PathBuf, String)> =
            parts.iter().filter(left_out).filter_map(|file| Some((file, fs::read_to_string(file).ok()?))).collect();
        said.lines().filter_map(undefined_name).find_map(|name| {
            let (file, _) = texts.iter().find(|(_, text)| text.split(is_no_word).any(|word| word == name))?;
            Some((name, file.file_name()?.to_string_lossy().into_owned()))
        })
    }
}

/// Returns the name of a function that the linker did not find.
fn undefined_name(line: &str) -> Option<&str> {
    let symbol = line.split_once("undefined reference")?.1.split_once('`')?.1.split(['(', '\'', '[']).next()?;
    symbol.rsplit("::").next().filter(|name| !name.is_empty())
}

/// Packs what a compiler wrote. Returns `false` if that is too large.
fn pack(folder: &Path, needed: &str, program: &Path) -> anyhow::Result<bool> {
    // A link could lead to any folder of the user.
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    let files = bot_folder::own_files(folder, MAX_PACKED_FILES).filter(|_| is_folder).unwrap_or_default();
    if !files.iter().any(|file| file == needed) {
        return Err(Rejection(format!("expected {needed}, got {}", bot_folder::names_of(&files))).into());
    }
    archive::pack_files(folder, &files, &mut fs::File::create_new(program)?)
}

/// Checks that the compiler of a source is installed, and what it starts.
pub(crate) fn check_compiler(source: &Path, language: Language, compiler: &Compiler) -> anyhow::Result<()> {
    let command = command_of(compiler);
    let is_missing = |program: &OsStr| find_in_path(program).is_none() && !Path::new(program).is_file();
    let (file, package, name) = (source.display(), compiler.package, language.name());
    let missing = |program: &OsStr, reason: String| {
        let problem = about("bot-no-compiler", source).with("program", program.to_string_lossy()).with("package", package);
        Err(coded(problem, reason))
    };
    if is_missing(&command) {
        let (commands, variable) = (compiler.commands.join(" or "), compiler.variable);
        return missing(
            &command,
            format!(
                "{file}: {name} compiler {} not found; install {commands}{}, or set {variable}",
                command.display(),
                how_to_install(package)
            ),
        );
    }
    match compiler.helpers.iter().find(|helper| is_missing(helper.as_ref())) {
        Some(helper) => missing(
            helper.as_ref(),
            format!("{file}: {helper} not found, which the {name} compiler needs; install it{}", how_to_install(package)),
        ),
        None => Ok(()),
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

/// Whether a file is a source that includes files of its own, or others that it must not include.
pub fn includes_files(source: &MainSource<'_>) -> anyhow::Result<bool> {
    if Compiler::from_file(source.path).is_none() {
        return Ok(false);
    }
    let files = SourceFiles::read(source)?;
    Ok(files.texts.len() > 1 || !files.refused.is_empty())
}

/// Returns the hash of a source: of its content or, with files of its own, of all of them.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn hash_of_source(source: &MainSource<'_>) -> anyhow::Result<Option<String>> {
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
fn run(command: Vec<OsString>, mounts: Mounts, sandbox: &Sandbox, source: &Path) -> anyhow::Result<Option<String>> {
    let compiler = command[0].clone();
    let mut program = Program::new(command, LIMITS);
    if sandbox.tier() != Tier::C {
        let unconfined = |error| of_machine(from_sandbox(&error), format!("{}: {error}", source.display()));
        program.confine(sandbox, mounts).map_err(unconfined)?;
    }
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
    let limited = |code| {
        let problem = Problem::new(code).with("program", compiler.to_string_lossy());
        let words = problem.words(Locale::English).unwrap_or_default();
        Err(uncompiled(problem, format!("{} does not compile: {words}", source.display())))
    };
    match run.outcome {
        Outcome::Answered => Ok(None),
        Outcome::NotStarted(error) => {
            let reason = format!("{}: {error}", source.display());
            Err(match from_start(&error) {
                Some(problem) if error.is_of_machine() => of_machine(problem, &reason),
                Some(problem) => coded(problem, &reason),
                None => bad_input(&reason),
            })
        }
        Outcome::TimeOut(_) => limited("compiler-time"),
        Outcome::MemoryOut => limited("compiler-memory"),
        Outcome::TasksOut | Outcome::OutputOut => limited("compiler-limits"),
        _ => Ok(Some(String::from_utf8_lossy(&[run.output, run.stderr].concat()).into_owned())),
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
fn chosen(compiler: &Compiler) -> Option<OsString> {
    env::var_os(compiler.variable).filter(|command| !command.is_empty())
}

fn command_of(compiler: &Compiler) -> OsString {
    chosen(compiler).unwrap_or_else(|| {
        let is_installed = |name: &&&str| find_in_path(OsStr::new(name)).is_some();
        compiler.commands.iter().find(is_installed).unwrap_or(&compiler.commands[0]).into()
    })
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_is_shown_repeats_the_compilation() {
        if find_in_path(OsStr::new("g++")).is_none() {
            eprintln!("not run: g++ is not installed");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("bot 1.cpp", "int main() {}\n"), ("odd.cpp", "int\u{a0}main() {}\n")] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let source = MainSource { path: &path, own_folder: Some(folder.path()) };
            let command = shown_command(&source, CppStandard::Cpp17).unwrap();
            let done = std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).status().unwrap();
            assert!(done.success() && folder.path().join("bot").is_file(), "{command}");
            fs::remove_file(folder.path().join("bot")).unwrap();
        }
    }
}
