//! The folder of a run: its options, games, nets and measurements.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bot_source::built_in::MAX_NET_BYTES;
use pacman2_bots::net::Net;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_runner::{InputFileError, read_input_file};
use pacman2_training::{DuelBlock, Epoch, GameRecord, LeaguePlayer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::curve::{self, Learned, Point};
use super::options::{AGAINST, FROM, KeptOption, NetOptions, as_typed};
use super::record::GameLine;

/// The version of the folder's format with options that the first one did not have, and without.
const VERSION: u32 = 2;
const FIRST_VERSION: u32 = 1;
/// The number of options that folders of the first version have.
const FIRST_OPTIONS: usize = 5;
/// The size limits of a file of games, and of the file of the options.
const MAX_CHUNK_BYTES: u64 = 16 * 1024 * 1024;
const MAX_OPTIONS_BYTES: u64 = 64 * 1024;

/// The folder of a run.
pub(super) struct RunFolder {
    folder: PathBuf,
}

impl RunFolder {
    /// Opens the folder of a run with these options, or creates it.
    pub(super) fn open(folder: &Path, options: &NetOptions) -> anyhow::Result<RunFolder> {
        let store = RunFolder { folder: folder.to_owned() };
        let file = store.path("options.json");
        if file.exists() {
            store.check_options(&file, options)?;
            store.remove_unfinished();
            store.write_given(options)?;
            return Ok(store);
        }
        // Files that a killed run had not completed do not count.
        let counts = |entry: &io::Result<fs::DirEntry>| match entry {
            Ok(entry) => !entry.file_name().to_string_lossy().starts_with(files::TEMPORARY),
            Err(_) => true,
        };
        match fs::read_dir(folder).map(|entries| entries.filter(counts).count()) {
            Ok(1..) => {
                let folder = folder.display();
                return Err(bad_input(format!("{folder}: contains other files; expected a new folder or the folder of a run")));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(bad_input(format!("{}: {error}; expected a folder", folder.display())));
            }
            _ => {}
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let mut value = json!({ "version": version(options) });
        for KeptOption { name, value: of_option } in options.kept() {
            of_option.into_iter().for_each(|of_option| value[name] = of_option);
        }
        files::write(&file, &format!("{value}\n"))?;
        store.write_given(options)?;
        Ok(store)
    }

    fn remove_unfinished(&self) {
        files::remove_unfinished(&self.folder);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
            files::remove_unfinished(&entry.path());
        }
    }

    /// Writes copies of the given nets, which a killed run may not have.
    fn write_given(&self, options: &NetOptions) -> anyhow::Result<()> {
        for (file, net) in options.given() {
            let file = self.path(file);
            if !fs::read(&file).is_ok_and(|bytes| bytes == net.bytes) {
                files::write_bytes(&file, &net.bytes)?;
            }
        }
        Ok(())
    }

    fn check_options(&self, file: &Path, options: &NetOptions) -> anyhow::Result<()> {
        let kept: Value = serde_json::from_str(&files::read_up_to(file, MAX_OPTIONS_BYTES)?)
            .map_err(|error| corrupt(file, &format!("not JSON: {error}")))?;
        if kept["version"] != VERSION && kept["version"] != FIRST_VERSION {
            return Err(corrupt(file, "not the options of a run that this version can continue"));
        }
        let folder = self.folder.display();
        for (number, KeptOption { name, value }) in options.kept().into_iter().enumerate() {
            let kept = kept.get(name);
            if number < FIRST_OPTIONS && kept.and_then(Value::as_i64).is_none() {
                return Err(corrupt(file, &format!("expected an integer as \"{name}\"")));
            }
            if kept == value.as_ref() {
                continue;
            }
            let is = value.map_or_else(|| format!("no --{name}"), |value| as_typed(name, &value));
            let copy = [("from", FROM), ("against", AGAINST)].into_iter().find(|(option, _)| *option == name);
            let was = match (copy, kept) {
                (_, None) => format!("no --{name}"),
                (Some((_, copy)), Some(_)) => format!("--{name} with the net that is {}", self.path(copy).display()),
                (None, Some(kept)) => as_typed(name, kept),
            };
            return Err(bad_input(format!(
                "{is}: the run in {folder} has {was}; continue with that, or start another run in a new folder"
            )));
        }
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The path of a generation's file.
    fn of_generation(&self, generation: u32, name: &str) -> PathBuf {
        self.folder.join(format!("generation-{generation}")).join(name)
    }

    /// Returns the folder of the run.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the file of a generation's net, from the folder of the run.
    pub(super) fn file_of_net(generation: u32) -> String {
        format!("generation-{generation}/sage.net")
    }

    /// The path of the final net.
    pub(super) fn result(&self) -> PathBuf {
        self.path("sage.net")
    }

    pub(super) fn write_result(&self, net: &Net, generations: u32, options: &NetOptions) -> anyhow::Result<()> {
        files::write_bytes(&self.result(), &net.write(&origin(generations, options)))
    }

    pub(super) fn write_curve(&self, points: &[Point]) -> anyhow::Result<()> {
        files::write(&self.path("curve.json"), &format!("{:#}\n", curve::json(points)))
    }

    /// Reads a chunk of games with these seeds; `None` if there is none.
    pub(super) fn read_games(
        &self,
        generation: u32,
        chunk: u32,
        seeds: impl Iterator<Item = i32>,
    ) -> anyhow::Result<Option<Vec<GameRecord>>> {
        let file = self.of_generation(generation, &games_name(chunk));
        let Some(games) = read::<Vec<GameLine>>(&file, "games of self-play")? else { return Ok(None) };
        let records = games.iter().map(GameLine::record).collect::<Option<Vec<_>>>();
        let records = records.ok_or_else(|| corrupt(&file, "a game has an unknown player, action or fingerprint"))?;
        if !seeds.eq(records.iter().map(|record| record.seed)) {
            return Err(corrupt(&file, "not the games of this chunk"));
        }
        for record in &records {
            record.scores().map_err(|error| corrupt(&file, &format!("the game of seed {}: {error}", record.seed)))?;
        }
        Ok(Some(records))
    }

    pub(super) fn write_games(&self, generation: u32, chunk: u32, records: &[GameRecord]) -> anyhow::Result<()> {
        let games: Vec<String> = records.iter().map(|record| json!(GameLine::from(record)).to_string()).collect();
        self.write(&self.of_generation(generation, &games_name(chunk)), format!("[\n{}\n]\n", games.join(",\n")).as_bytes())
    }

    /// Reads the net of a generation; `None` if there is none. The losses are written last, so they decide.
    pub(super) fn read_fit(&self, generation: u32) -> anyhow::Result<Option<(Net, Learned)>> {
        let file = self.of_generation(generation, "lesson.json");
        let Some(losses) = read::<Losses>(&file, "the losses of a training")? else { return Ok(None) };
        let file = self.of_generation(generation, "sage.net");
        let bytes = read_input_file(&file, MAX_NET_BYTES).map_err(|error| corrupt(&file, &error.to_string()))?;
        let net = Net::read(&bytes).map_err(|error| corrupt(&file, &error.to_string()))?;
        Ok(Some((net, losses.into())))
    }

    pub(super) fn write_fit(&self, generation: u32, net: &Net, learned: &Learned, options: &NetOptions) -> anyhow::Result<()> {
        self.write(&self.of_generation(generation, "sage.net"), &net.write(&origin(generation, options)))?;
        let losses = json!(Losses::from(learned));
        self.write(&self.of_generation(generation, "lesson.json"), format!("{losses}\n").as_bytes())
    }

    /// Reads the games of a duel on a map; `None` if there are none.
    pub(super) fn read_block(&self, generation: u32, other: LeaguePlayer, map: i32) -> anyhow::Result<Option<DuelBlock>> {
        let file = self.of_generation(generation, &block_name(other, map));
        let what = "the games of a duel on this map";
        let Some(block) = read::<Block>(&file, what)? else { return Ok(None) };
        let is_right = block.map == map;
        is_right
            .then_some(Some(DuelBlock { map, doubled: block.doubled_hundredths }))
            .ok_or_else(|| corrupt(&file, &format!("not {what}")))
    }

    pub(super) fn write_block(&self, generation: u32, other: LeaguePlayer, block: &DuelBlock) -> anyhow::Result<()> {
        let file = self.of_generation(generation, &block_name(other, block.map));
        let block = json!(Block { against: other.to_string(), doubled_hundredths: block.doubled, map: block.map });
        self.write(&file, format!("{block}\n").as_bytes())
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        files::write_bytes(file, bytes)
    }
}

/// Returns the version of the folder of a run with these options.
fn version(options: &NetOptions) -> u32 {
    let has_others = options.kept()[FIRST_OPTIONS..].iter().any(|option| option.value.is_some());
    if has_others { VERSION } else { FIRST_VERSION }
}

/// Returns the command that made a net, which its file records.
fn origin(generations: u32, options: &NetOptions) -> String {
    format!("pacman2 {} train --generations {generations} {}", env!("CARGO_PKG_VERSION"), options.as_typed())
}

fn games_name(chunk: u32) -> String {
    format!("games-{chunk:05}.json")
}

fn block_name(other: LeaguePlayer, map: i32) -> String {
    format!("against-{}-{map}.json", other.to_string().replace(' ', "-"))
}

/// The error of a file that this program did not write like that.
fn corrupt(file: &Path, why: &str) -> anyhow::Error {
    bad_input(format!("{}: {why}; delete the file to have it made again", file.display()))
}

/// Reads a file of JSON, which the message calls `what`; `None` if there is no such file.
fn read<T: DeserializeOwned>(file: &Path, what: &str) -> anyhow::Result<Option<T>> {
    let bytes = match read_input_file(file, MAX_CHUNK_BYTES) {
        Ok(bytes) => bytes,
        Err(InputFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(corrupt(file, &error.to_string())),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| corrupt(file, &format!("not {what}: {error}")))
}

/// What learning a net has come to, as its file has it.
#[derive(Serialize, Deserialize)]
struct Losses {
    epoch: u32,
    hand_made_loss: f64,
    held_out_loss: f64,
    held_out_samples: usize,
    samples: usize,
    training_loss: f64,
}

impl From<&Learned> for Losses {
    fn from(learned: &Learned) -> Losses {
        let Learned { training, held_out, best, hand_made } = *learned;
        Losses {
            epoch: best.number,
            hand_made_loss: hand_made,
            held_out_loss: best.held_out,
            held_out_samples: held_out,
            samples: training,
            training_loss: best.training,
        }
    }
}

impl From<Losses> for Learned {
    fn from(losses: Losses) -> Learned {
        let best = Epoch { number: losses.epoch, training: losses.training_loss, held_out: losses.held_out_loss };
        Learned { training: losses.samples, held_out: losses.held_out_samples, best, hand_made: losses.hand_made_loss }
    }
}

/// The games of a duel on a map, as their file has them.
#[derive(Serialize, Deserialize)]
struct Block {
    against: String,
    doubled_hundredths: [i64; 4],
    map: i32,
}
