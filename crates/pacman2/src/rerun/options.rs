//! The checked options of a rerun.

use std::path::{Path, PathBuf};

use pacman2_analysis::position::DEFAULT_SIMULATIONS;
use pacman2_arena::report::PAGE;
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, Content, OutputFile};
use pacman2_match::rerun::RerunMode;
use pacman2_replay::Replay;
use pacman2_replay::games::{FoundGame, GameForm};
use pacman2_rules::{Game, Seat};
use pacman2_runner::Limits;
use pacman2_series::lost;

use crate::args::RerunArgs;
use crate::games;

/// After this many time-outs in a row, a bot is asked nothing more.
pub(super) const MAX_TIME_OUTS: usize = 3;

/// The checked options.
pub(crate) struct RerunOptions {
    pub(super) replay: Replay,
    /// The game after the last turn, which knows the turns before.
    pub(super) game: Game,
    /// What messages call the replay.
    pub(super) name: String,
    pub(super) seat: Seat,
    pub(super) mode: RerunMode,
    pub(super) as_process: bool,
    pub(super) limits: Limits,
    /// How many simulations for each turn in which the answers differ; none if their worth is not wanted.
    pub(crate) simulations: u32,
    pub(super) replay_file: Option<OutputFile>,
    pub(super) html: Option<OutputFile>,
    pub(super) open: bool,
    pub(super) json: bool,
}

impl RerunOptions {
    /// Reads a replay, and checks that it has questions for the seat and that the files may be written.
    pub(super) fn new(args: &RerunArgs, file: &Path) -> anyhow::Result<RerunOptions> {
        let (FoundGame { replay: recorded, form, .. }, name) = games::read(file, None)?;
        let seat = match (args.seat, form) {
            (Some(seat), _) => Seat::ALL[usize::from(seat)],
            (None, GameForm::SavedInput(seat)) => seat,
            (None, _) => lost::seat_in_name(file)
                .ok_or_else(|| bad_input("--seat: expected the seat whose questions are asked, 0 to 3"))?,
        };
        let may_be_empty = matches!(form, GameForm::SavedInput(_));
        let options = RerunOptions::from_replay(recorded, name, seat, may_be_empty)?;
        let file = |option: &str, path: &Option<PathBuf>, content| -> anyhow::Result<Option<OutputFile>> {
            let file = path.as_ref().map(|path| OutputFile::new(option, path, content, args.force));
            file.iter().try_for_each(OutputFile::check)?;
            Ok(file)
        };
        let replay_file = file("--replay", &args.replay, Content::REPLAY)?;
        let html = file("--html", &args.html, PAGE)?;
        if let (Some(replay), Some(html)) = (&replay_file, &html)
            && files::are_same(&replay.path, &html.path)
        {
            let path = html.path.display();
            return Err(bad_input(format!("--html {path}: the replay goes to this file; choose another name")));
        }
        Ok(RerunOptions {
            mode: if args.restart { RerunMode::Afresh } else { RerunMode::AsInMatch },
            as_process: args.as_process,
            limits: args.limits.limits(),
            simulations: args.simulations,
            replay_file,
            html,
            open: args.open,
            json: args.json,
            ..options
        })
    }

    /// Checks that a recorded match has questions for a seat.
    pub(crate) fn from_replay(replay: Replay, name: String, seat: Seat, may_be_empty: bool) -> anyhow::Result<RerunOptions> {
        let playback = replay.play_back();
        if let Some(difference) = playback.difference {
            return Err(bad_input(format!("{name}: {difference}")));
        }
        if playback.turns.is_empty() && !may_be_empty {
            return Err(bad_input(format!("{name}: expected a match with at least one turn, got none")));
        }
        if !replay.public.map.start.alive.contains(seat) {
            return Err(bad_input(format!(
                "--seat {seat}: seat {seat} of {name} is dead from the start, so it was asked nothing"
            )));
        }
        Ok(RerunOptions {
            game: playback.session.game().clone(),
            replay,
            name,
            seat,
            mode: RerunMode::default(),
            as_process: false,
            limits: Limits::default(),
            simulations: DEFAULT_SIMULATIONS,
            replay_file: None,
            html: None,
            open: false,
            json: true,
        })
    }

    /// The number of turns in which the seat was asked, with the one after the last turn, if the match has not ended.
    pub(super) fn questions(&self) -> usize {
        let recorded = self.replay.public.turns.iter().filter(|turn| turn.actions[self.seat.index()].is_some()).count();
        let is_next = !self.game.is_over() && self.game.state().alive.contains(self.seat);
        recorded + usize::from(is_next)
    }
}
