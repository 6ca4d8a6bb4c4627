//! The program for Windows, compiled here and run by Wine: what students there do first, in a folder whose name has a blank and Chinese.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::cargo::{self, Metadata};
use crate::process::{output, stdout};

const TRIPLE: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// Debian's package wine64 has the last one only.
const WINES: [&str; 3] = ["wine64", "wine64-stable", "/usr/lib/wine/wine64"];
const RANDOM_BYTES: &str = include_str!("wine_test/bcryptprimitives.c");
const PROGRAM: &str = "pacman2.exe";
const STAYS: &str = "{\"response\":{\"action\":-1}}";

pub(crate) fn run() -> anyhow::Result<()> {
    let wine = WINES.into_iter().find(|name| output(Command::new(name).arg("--version")).is_ok());
    let wine = wine.context("wine is not installed; run `apt-get install wine64`")?;
    build()?;
    let target = Metadata::read(&cargo::root())?.target_directory;
    let folder = tempfile::tempdir()?;
    // Wine's server writes to its folder until seconds after the last program.
    let place = Place { wine, work: folder.path().join("吃豆人 2"), folder, prefix: target.join("wine") };
    fs::create_dir(&place.work)?;
    fs::copy(target.join(TRIPLE).join("debug").join(PROGRAM), place.work.join(PROGRAM))?;
    place.compile_library()?;
    place.play_and_watch()?;
    place.keep_an_arena()?;
    place.read_odd_files()?;
    place.serve()?;
    println!("the program for Windows works under Wine; not run there: bots in Python and JavaScript, and compilers");
    Ok(())
}

/// Compiles the program.
fn build() -> anyhow::Result<()> {
    let mut build = cargo::command(&cargo::root());
    build.args(["build", "--locked", "--package", "pacman2", "--bins", "--target", TRIPLE]);
    let hint = "the program does not compile for Windows; `rustup target add` and `apt-get install gcc-mingw-w64-x86-64` have what it needs";
    ensure!(build.status()?.success(), hint);
    Ok(())
}

/// Where the program runs.
struct Place {
    wine: &'static str,
    work: PathBuf,
    folder: TempDir,
    /// What Wine keeps.
    prefix: PathBuf,
}

impl Place {
    fn compile_library(&self) -> anyhow::Result<()> {
        let source = self.folder.path().join("bcryptprimitives.c");
        fs::write(&source, RANDOM_BYTES)?;
        let library = self.work.join("bcryptprimitives.dll");
        stdout(Command::new(COMPILER).args(["-shared", "-o"]).arg(library).arg(source).arg("-ladvapi32")).map(drop)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.wine);
        command.arg(PROGRAM).args(arguments).current_dir(&self.work).stdin(Stdio::null());
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all");
        command
    }

    /// Runs the program and checks how it ends, and that it prints this.
    fn check(&self, arguments: &[&str], code: i32, expected: &str) -> anyhow::Result<()> {
        let Output { status, stdout, stderr } = output(&mut self.command(arguments))?;
        let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let is_right = status.code() == Some(code) && text.contains(expected);
        ensure!(is_right, "pacman2 {arguments:?}: expected \"{expected}\" and exit code {code}, got {status}:\n{text}");
        println!("ok: pacman2 {}", arguments.join(" "));
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        Ok(fs::write(self.work.join(name), text)?)
    }

    fn play_and_watch(&self) -> anyhow::Result<()> {
        self.check(&["match", "sample", "greedy", "greedy", "random", "--seed", "1"], 0, "seed 1, 100 turns")?;
        self.check(&["replay", "verify", "replays/last.json"], 0, "last.json")?;
        let play =
            |bot, options: &[&'static str]| [&["match", bot, "greedy", "greedy", "random", "--turns", "5"], options].concat();
        self.check(&play("pacman2.exe bot greedy", &[]), 2, r"started as .\pacman2.exe")?;
        self.check(&play("./pacman2.exe bot greedy", &[]), 2, "no sandbox")?;
        self.check(&play("./pacman2.exe bot greedy", &["--trust", "all"]), 0, "OK 5")?;
        fs::copy(self.work.join(PROGRAM), self.work.join("我的 bot.exe"))?;
        self.check(&["check", "我的 bot.exe", "--trust", "all"], 1, "我的 bot.exe")
    }

    fn keep_an_arena(&self) -> anyhow::Result<()> {
        self.check(&["arena", "init", "--arena", "赛场 1"], 0, "created an arena")?;
        self.check(&["arena", "add", "greedy", "sample", "random", "hunter", "--arena", "赛场 1"], 0, "hunter@1")?;
        self.check(&["arena", "run", "--maps", "1", "--arena", "赛场 1"], 0, "4 games played")?;
        self.check(&["arena", "run", "--maps", "1", "--arena", "赛场 1"], 0, "4 already known")?;
        self.check(&["arena", "export", "导出", "--arena", "赛场 1"], 0, "")
    }

    fn read_odd_files(&self) -> anyhow::Result<()> {
        let map = stdout(&mut self.command(&["map", "--seed", "3", "--json"]))?;
        self.write("初始 数据.json", &format!("\u{feff}{}\r\n", String::from_utf8(map)?.trim().replace(",\"", ",\r\n\"")))?;
        self.check(&["map", "--map", "初始 数据.json", "--json"], 0, "\"seed\":3")?;
        self.check(&["new", "我的bot", "--lang", "cpp"], 0, "我的bot")?;
        self.check(&["bundle", "我的bot", "-o", "上传.cpp"], 0, "not checked: 我的bot: this machine has no sandbox")?;
        self.check(&["bundle", "我的bot", "-o", "上传.cpp", "--trust", "我的bot"], 0, "g++ not found")?;
        self.write("bot.py", &format!("print('{STAYS}')\r\n"))?;
        self.check(&["check", "bot.py", "--trust", "all"], 2, "python not found")?;
        self.check(&["map", "--map", "nothing.json"], 2, "nothing.json")
    }

    fn serve(&self) -> anyhow::Result<()> {
        let mut server = Server(self.command(&["serve", "--port", "0", "--json"]).stdout(Stdio::piped()).spawn()?);
        let mut line = String::new();
        BufReader::new(server.0.stdout.as_mut().context("a pipe")?).read_line(&mut line)?;
        let started: Value = serde_json::from_str(&line).context("the server printed no JSON")?;
        let address = started["address"].as_str().context("the server printed no address")?;
        let host = address.trim_start_matches("http://").split('/').next().unwrap_or_default();
        for (path, expected) in [("/", "<html"), ("/api/replays", "\"finished\":true")] {
            let mut stream = TcpStream::connect(host)?;
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
            let mut response = String::new();
            stream.read_to_string(&mut response)?;
            ensure!(response.starts_with("HTTP/1.1 200") && response.contains(expected), "GET {path}: {response:.300}");
        }
        println!("ok: pacman2 serve");
        Ok(())
    }
}

/// A running server, which ends with it.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
