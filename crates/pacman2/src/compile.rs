//! C++ bots: compiled as Botzone does, once for each content.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use crate::failure::bad_input;
use crate::{files, seats};

/// How Botzone compiles.
const FLAGS: [&str; 3] = ["-O2", "-D_BOTZONE_ONLINE", "-std=c++17"];

/// The program made from this source: from the cache, or compiled now.
pub(crate) fn cpp(source: &Path) -> anyhow::Result<PathBuf> {
    let texts = with_includes(source)?;
    let cache = cache_folder()?;
    let compiler = compiler();
    let program = cache.join(format!("{}{}", content_hash(&texts, &compiler), env::consts::EXE_SUFFIX));
    if program.exists() {
        return Ok(program);
    }
    eprintln!("pacman2: compiling {} …", source.display());
    let (input, cleaned) = cleaned(source, &texts[0], &cache)?;
    let wants_jsoncpp = texts.iter().any(|text| text.contains("jsoncpp/json.h") || text.contains("json/json.h"));
    let mut command = Command::new(&compiler);
    command.args(FLAGS);
    command.arg("-iquote").arg(folder_of(source));
    if wants_jsoncpp {
        command.args(jsoncpp_includes(&cache)?);
    }
    // Under another name until it is whole, so that a second match never runs half a program.
    let unfinished = tempfile::Builder::new().prefix("unfinished-").tempfile_in(&cache)?.into_temp_path();
    command.arg(&input).arg("-o").arg(&unfinished);
    if wants_jsoncpp {
        command.args(jsoncpp_libraries());
    }
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => bad_input(format!(
            "{}: no C++ compiler: {} was not found; install g++ or clang++, or name one in CXX",
            source.display(),
            compiler.display()
        )),
        _ => anyhow::Error::new(error).context(format!("{} could not be run", compiler.display())),
    })?;
    drop(cleaned);
    if !output.status.success() {
        return Err(bad_input(complaint(source, &String::from_utf8_lossy(&output.stderr))));
    }
    unfinished.persist(&program).with_context(|| format!("{} cannot be written", program.display()))?;
    Ok(program)
}

fn read(source: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(source).map_err(|error| bad_input(format!("{}: {error}", source.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy().context("there is no home folder to keep compiled bots in")?;
    let folder = base.cache_dir().join("pacman2");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

fn compiler() -> OsString {
    env::var_os("CXX").filter(|compiler| !compiler.is_empty()).unwrap_or_else(|| {
        let found = ["g++", "clang++"].into_iter().find(|name| seats::find_in_path(OsStr::new(name)).is_some());
        found.unwrap_or("g++").into()
    })
}

/// The text of the source, and those of the files beside it that it includes.
fn with_includes(source: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![source.to_owned()];
    while let Some(path) = open.pop() {
        if seen.insert(path.clone()) {
            let text = read(&path)?;
            open.extend(included(source, &path, &text));
            texts.push(text);
        }
    }
    Ok(texts)
}

/// The files that a file includes in quotes and that lie beside it or beside the source, where the compiler looks too.
fn included(source: &Path, file: &Path, text: &str) -> Vec<PathBuf> {
    let names = text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"')?;
        Some(name.split_once('"')?.0)
    });
    let places = names.flat_map(|name| [folder_of(file).join(name), folder_of(source).join(name)]);
    places.filter(|path| path.is_file()).collect()
}

fn content_hash(texts: &[String], compiler: &OsStr) -> String {
    let mut hash = Sha256::new();
    hash.update(compiler.as_encoded_bytes());
    FLAGS.iter().for_each(|flag| hash.update(flag));
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
/// compiled from a cleaned copy. The copy lives as long as the second value.
fn cleaned(source: &Path, text: &str, cache: &Path) -> anyhow::Result<(PathBuf, Option<tempfile::TempPath>)> {
    if !text.contains('\u{a0}') {
        return Ok((source.to_owned(), None));
    }
    let copy = tempfile::Builder::new().suffix(".cpp").tempfile_in(cache)?.into_temp_path();
    let name = source.display().to_string().replace(['\\', '"'], "/");
    fs::write(&copy, format!("#line 1 \"{name}\"\n{}", text.replace('\u{a0}', " ")))?;
    Ok((copy.to_path_buf(), Some(copy)))
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
