//! Matches of a series in which programs play: each as `pacman2 play` plays it, several at a time.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use pacman2_arena::game_player::Concurrency;
use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{self, Bot, BotMemory, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_console::files;
use pacman2_maps::Map;
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{self, AskMode, first_fault};
use pacman2_rules::{BySeat, Game, Seat};
use pacman2_runner::Limits;

use super::SeriesOptions;
use super::tally::Fault;

/// What the matches have in common.
pub(super) struct Programs {
    bots: Vec<Bot>,
    policy: SandboxPolicy,
    limits: Limits,
    as_process: bool,
    ask_mode: AskMode,
    pub(super) at_once: usize,
    /// The folder for the replays of matches that the first bot lost.
    pub(super) lost: Option<PathBuf>,
}

/// A match that was played to its end.
pub(super) struct PlayedMatch {
    /// The game after its last turn, without the turns before.
    pub(super) game: Game,
    /// The first fault of each seat.
    pub(super) faults: BySeat<Option<Fault>>,
}

impl Programs {
    /// Finds the bots, and the sandbox for them.
    pub(super) fn new(options: &SeriesOptions) -> anyhow::Result<Programs> {
        let SeriesOptions { bots, parallel, ask_mode, limits, as_process, lost, .. } = options;
        let policy = SandboxPolicy::new(options.sandbox.clone());
        policy.check_names(&bots.iter().map(|bot| bot.text.clone()).collect::<Vec<_>>())?;
        if let Some(folder) = lost {
            files::make_empty_folder("--lost", folder)?;
        }
        let bots = bots.iter().map(|bot| Bot::find(bot, &policy)).collect::<anyhow::Result<Vec<_>>>()?;
        resolve::print_remarks(&bots);
        let suitable = Concurrency::from_machine(*parallel);
        let ask_mode = ask_mode.unwrap_or(suitable.ask_mode);
        let at_once = suitable.games_at_once.max(1);
        policy.share_tasks(at_once * Seat::ALL.len());
        Ok(Programs { bots, policy, limits: *limits, as_process: *as_process, ask_mode, at_once, lost: lost.clone() })
    }

    /// Plays a match. `places` are the bots by their seats, of which the first bot has the seat `first`, and `file` is where its replay
    /// goes if that one loses. Returns `None` if it was interrupted.
    pub(super) fn play(
        &self,
        map: Map,
        places: BySeat<usize>,
        first: Seat,
        file: &str,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<PlayedMatch>> {
        let hidden = Hidden {
            bots: self.bots.iter().flat_map(|bot| bot.files.clone()).collect(),
            folders: self.lost.iter().cloned().collect(),
        };
        let config = PlayerConfig { limits: self.limits, as_process: self.as_process, ruleset: *map.maze.ruleset(), hidden };
        let bots = BySeat::from_fn(|seat| &self.bots[places[seat]]);
        let memories = BySeat::from_fn(|_| BotMemory::default());
        let (mut players, tiers) = resolve::start_all(bots, memories, &config, &self.policy)?;
        self.policy.warn(Seat::ALL.map(|seat| (bots[seat].name.as_str(), tiers[seat])));
        let turns = referee::play(map.clone(), &mut players, self.ask_mode, stop, |_, _| ())?;
        drop(players);
        let Some(last) = turns.last().map(|turn| &turn.turn).filter(|last| last.scores.is_some()) else { return Ok(None) };
        let strength = last.state.strength;
        if let Some(folder) = &self.lost
            && strength.0.iter().any(|&other| other > strength[first])
        {
            let infos = BySeat::from_fn(|seat| bots[seat].info(self.as_process));
            let replay = record(&map, infos, limits_info(self.limits), tiers, &turns);
            files::write(&folder.join(file), &replay.write())?;
        }
        let game = Game::new(map.maze, last.state);
        let faults = BySeat::from_fn(|seat| {
            let (turn, response, complaint) = first_fault(&turns, seat)?;
            Some(Fault { kind: response.verdict_for_people(), turn, complaint: complaint.to_string() })
        });
        Ok(Some(PlayedMatch { game, faults }))
    }
}
