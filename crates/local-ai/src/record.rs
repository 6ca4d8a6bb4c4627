//! The replay of a match on Botzone: what the bot saw, completed with the site's log.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_botzone::Json;
use pacman2_botzone::local_ai::MatchId;
use pacman2_botzone::match_log::MatchLog;
use pacman2_botzone::session::SessionTurn;
use pacman2_console::files;
use pacman2_match::record::{diagnostics, limits_info, record};
use pacman2_match::referee::{self, MatchTurn};
use pacman2_replay::{Replay, SeatInfo};
use pacman2_rules::BySeat;

use super::active::{ActiveMatch, PlayedBot};

/// Returns the replay of the turns that the bot saw. Botzone does not send it the last one.
pub(crate) fn seen(active: &ActiveMatch, source: &PlayedBot) -> Replay {
    let own = active.game.seat();
    let infos = BySeat::from_fn(|seat| match seat {
        seat if seat == own => source.bot.info(source.config.as_process),
        seat => SeatInfo::named(format!("player {seat}")),
    });
    let tiers = BySeat::from_fn(|seat| active.tier.filter(|_| seat == own));
    record(
        active.game.session().map(),
        infos,
        limits_info(source.config.limits),
        tiers,
        &match_turns(active, active.game.turns()),
    )
}

/// Returns the whole match by the site's log, with what is known of our own bot. `None` if the log is that of another match.
pub(super) fn completed(seen: &Replay, active: &ActiveMatch, log: Json<'_>) -> anyhow::Result<Option<Replay>> {
    let log = MatchLog::read_json(log, Some(*active.game.session().map().maze.ruleset()))?;
    let mut whole = Replay::from_match_log(&log);
    let positions = |replay: &Replay| replay.public.turns.iter().map(|turn| turn.position).collect::<Vec<_>>();
    if whole.public.map != seen.public.map || !positions(&whole).starts_with(&positions(seen)) {
        return Ok(None);
    }
    let own = active.game.seat().index();
    whole.public.seats[own] = seen.public.seats[own].clone();
    whole.public.limits = seen.public.limits;
    whole.private.sandbox = seen.private.sandbox;
    for (logged, turn) in whole.private.turns.iter_mut().zip(match_turns(active, &log.replay())) {
        if let Some(known) = diagnostics(&turn)[own].take() {
            logged[own] = Some(known);
        }
    }
    Ok(Some(whole))
}

fn match_turns(active: &ActiveMatch, turns: &[SessionTurn]) -> Vec<MatchTurn> {
    let own = active.game.seat();
    let with_response = |(number, turn): (usize, &SessionTurn)| {
        let mut responses = BySeat::default();
        if let Some(mut answer) = active.answers.get(&number).cloned() {
            referee::explain(&mut answer, own, active.game.session().map(), turn);
            responses[own] = Some(answer);
        }
        MatchTurn { responses, turn: turn.clone() }
    };
    turns.iter().enumerate().map(with_response).collect()
}

/// Writes a replay under a new name in the folder. No file is replaced.
///
/// # Errors
///
/// If it cannot be written.
pub fn write(folder: &Path, id: &MatchId, replay: &Replay) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let text = replay.write();
    for number in 1..1000 {
        let name = if number == 1 { format!("botzone-{id}.json") } else { format!("botzone-{id}-{number}.json") };
        let path = folder.join(name);
        if files::write_new(&path, &text)? {
            return Ok(path);
        }
    }
    anyhow::bail!("{}: there are a thousand replays of match {id} in this folder; remove some", folder.display())
}
