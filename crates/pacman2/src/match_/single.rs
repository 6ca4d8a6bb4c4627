//! One match between four bots.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Context;
use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{self, Bot, BotMemory, PlayerConfig};
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::replay_folder::{self, REPLAYS};
use pacman2_console::text::sanitize;
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, MatchTurn, Players};
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::Tier;

use super::kept_folder::{GlobaldataFolder, OpenStorage, StorageFolder};
use super::options::{ReplayTarget, SingleMatchOptions};
use super::report::Report;
use crate::board::Board;
use crate::viewer;

pub(super) fn run(options: SingleMatchOptions) -> anyhow::Result<ExitCode> {
    let SingleMatchOptions { map, policy, .. } = &options;
    let bots = options.bots.iter().map(|bot| Bot::find(bot, policy)).collect::<anyhow::Result<Vec<_>>>()?;
    resolve::print_remarks(&bots);
    let config = PlayerConfig {
        limits: options.limits,
        as_process: options.as_process,
        ruleset: *map.maze.ruleset(),
        hidden: Hidden {
            bots: bots.iter().flat_map(|bot| bot.files.clone()).collect(),
            folders: options.globaldata.iter().chain(&options.data).cloned().collect(),
        },
    };
    let replay_path = replay_path(&options)?;
    let page_path = page_path(&options)?;
    let folder = options.globaldata.as_deref().map(GlobaldataFolder::open).transpose()?;
    let storage_folder = options.data.as_deref().map(StorageFolder::open).transpose()?;
    let mut storages: BySeat<Option<OpenStorage>> = BySeat::from_fn(|_| None);
    let mut memories = BySeat::from_fn(|_| BotMemory::default());
    for (seat, bot) in Seat::ALL.into_iter().zip(&bots) {
        storages[seat] = storage_folder.as_ref().map(|folder| folder.of(&bot.name)).transpose()?;
        memories[seat].storage = storages[seat].as_ref().map(OpenStorage::kept);
        memories[seat].globaldata = folder.as_ref().map(|folder| folder.read(&bot.name)).transpose()?.unwrap_or_default();
    }
    policy.share_tasks(bots.len());
    let (mut players, tiers) = resolve::start_all(BySeat::from_fn(|seat| &bots[seat.index()]), memories, &config, policy)?;
    policy.warn(Seat::ALL.map(|seat| (bots[seat.index()].name.as_str(), tiers[seat])));
    let stop = stop_on_interrupt()?;

    let names: [String; 4] = Seat::ALL.map(|seat| sanitize(&bots[seat.index()].name));
    let mut board = Board::new(&names, options.pace, options.json);
    let turns = referee::play(map.clone(), &mut players, options.ask_mode, &stop, |session, turn| board.show(session, turn))?;

    let storages_kept = keep_storages(&mut players, storages, &bots, &tiers);
    let globaldata = players.0.map(|player| player.globaldata());
    pacman2_runner::sweep();

    let infos = BySeat::from_fn(|seat| bots[seat.index()].info(options.as_process));
    let replay = record(map, infos, limits_info(config.limits), tiers, &turns);
    // Even if a file cannot be written, the result is printed first.
    let written = replay_path.as_deref().map_or(Ok(()), |path| match &options.replay {
        ReplayTarget::File(file) => file.write(&replay.write()),
        _ => replay_folder::add_as(path, &replay.write()),
    });
    let page_written = page_path.as_deref().map_or(Ok(()), |path| {
        let page = viewer::page(&replay.write());
        options.html.as_ref().map_or_else(|| files::write(path, &page), |file| file.write(&page))
    });
    let report = Report {
        names: &names,
        map,
        replay: &replay,
        turns: &turns,
        replay_path: replay_path.as_deref().filter(|_| written.is_ok()),
        page_path: page_path.as_deref().filter(|_| page_written.is_ok()),
    };
    let printed = if options.json { report.print_json() } else { report.print_table() };
    if !options.json {
        explain_missing_files(&bots, &config, &tiers, &turns);
    }
    written?;
    page_written?;
    if let Some(folder) = &folder {
        for (bot, globaldata) in bots.iter().zip(&globaldata) {
            folder.write(&bot.name, globaldata)?;
        }
    }
    storages_kept?;
    // Last, because the reader of the output may be gone.
    printed?;
    if let Some(path) = page_path.filter(|_| options.open) {
        viewer::open(&path, path.display());
    }
    Ok(if stop.load(Ordering::Relaxed) { INTERRUPTED.into() } else { ExitCode::SUCCESS })
}

/// Keeps the files that bots have written, as far as it is asked for and possible.
fn keep_storages(
    players: &mut Players,
    storages: BySeat<Option<OpenStorage>>,
    bots: &[Bot],
    tiers: &BySeat<Option<Tier>>,
) -> anyhow::Result<()> {
    for (seat, storage) in Seat::ALL.into_iter().zip(storages.0) {
        let (Some(storage), Some(tier)) = (storage, tiers[seat]) else { continue };
        let lost =
            |reason: &str| eprintln!("pacman2: --data: files of {} are not kept: {reason}", sanitize(&bots[seat.index()].name));
        match players[seat].keep_storage() {
            Ok(true) => storage.replace()?,
            Ok(false) => lost(&format!("in tier {tier} it has no storage that it can write")),
            Err(error) => lost(&error.to_string()),
        }
    }
    Ok(())
}

/// Chooses the file of the replay before the match, so that no match is played in vain.
fn replay_path(options: &SingleMatchOptions) -> anyhow::Result<Option<PathBuf>> {
    match &options.replay {
        ReplayTarget::Nowhere => Ok(None),
        ReplayTarget::File(file) => Ok(Some(file.path.clone())),
        ReplayTarget::Folder => {
            let folder = Path::new(REPLAYS);
            fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {REPLAYS} for the replay"))?;
            replay_folder::check_last(folder)?;
            Ok(Some(replay_folder::new_name(folder)))
        }
    }
}

/// Chooses the file of the page with the match, if one is requested.
fn page_path(options: &SingleMatchOptions) -> anyhow::Result<Option<PathBuf>> {
    Ok(match (&options.html, &options.replay) {
        (Some(file), _) => Some(file.path.clone()),
        (None, _) if !options.open => None,
        // A sandboxed browser may be able to read this folder, but not the temporary one.
        (None, ReplayTarget::Folder) => Some(replay_folder::last_page()),
        (None, _) => Some(viewer::place_for_page()?),
    })
}

/// Prints what to do if a sandboxed bot crashed because a file was refused, once for each bot.
fn explain_missing_files(bots: &[Bot], config: &PlayerConfig, tiers: &BySeat<Option<Tier>>, turns: &[MatchTurn]) {
    let sandboxed = Seat::ALL.into_iter().filter(|&seat| tiers[seat].is_some_and(|tier| tier != Tier::C));
    let advice = sandboxed.filter_map(|seat| {
        let responses = turns.iter().filter_map(|turn| turn.responses[seat].as_ref());
        bots[seat.index()].advice_on_files(&config.hidden, responses)
    });
    for advice in advice.collect::<BTreeSet<_>>() {
        eprintln!("pacman2: {advice}");
    }
}
