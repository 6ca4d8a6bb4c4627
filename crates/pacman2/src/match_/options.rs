//! The checked options of a single match.

use std::path::PathBuf;
use std::time::Duration;

use pacman2_arena::report::PAGE;
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, Content, OutputFile};
use pacman2_console::map_source::{self, Seed, random_seed};
use pacman2_maps::Map;
use pacman2_match::referee::AskMode;
use pacman2_rules::Ruleset;
use pacman2_runner::Limits;

use crate::args::MatchArgs;

/// What a match is played with.
pub(super) struct SingleMatchOptions {
    /// The bots, seat 0 first.
    pub(super) bots: Vec<BotArgument>,
    pub(super) map: Map,
    pub(super) ask_mode: AskMode,
    /// Whether built-in bots run as processes, too.
    pub(super) as_process: bool,
    pub(super) limits: Limits,
    pub(super) policy: SandboxPolicy,
    pub(super) globaldata: Option<PathBuf>,
    pub(super) data: Option<PathBuf>,
    pub(super) replay: ReplayTarget,
    /// The file for the page with the match, if a place is given.
    pub(super) html: Option<OutputFile>,
    /// Whether to open that page in a browser.
    pub(super) open: bool,
    /// The least time for which a terminal shows a turn.
    pub(super) pace: Duration,
    pub(super) json: bool,
}

/// Where the replay goes.
pub(super) enum ReplayTarget {
    Nowhere,
    File(OutputFile),
    /// A new file in the folder of replays.
    Folder,
}

impl SingleMatchOptions {
    /// Checks the arguments, reads or makes the map, and finds the sandbox if there are programs to run.
    pub(super) fn new(args: MatchArgs, bots: Vec<BotArgument>, has_programs: bool) -> anyhow::Result<SingleMatchOptions> {
        let policy = SandboxPolicy::for_bots(has_programs, args.sandbox.options());
        policy.check_names(&bots.iter().map(|bot| bot.text.clone()).collect::<Vec<_>>())?;
        let ruleset = Ruleset::default().with_forfeit_ruling(args.ruling);
        let ask_mode = args.ask_mode().unwrap_or_else(AskMode::from_this_machine);
        let (replay, html) = output_files(&args)?;
        let (map, limits) = (choose_map(&args, ruleset)?, args.limits.limits());
        Ok(SingleMatchOptions {
            bots,
            map,
            ask_mode,
            as_process: args.as_process,
            limits,
            policy,
            globaldata: args.globaldata,
            data: args.data,
            replay,
            html,
            open: args.open,
            pace: Duration::from_millis(args.pace),
            json: args.json,
        })
    }
}

/// Chooses the files for the replay and the page, and checks that they may be written.
fn output_files(args: &MatchArgs) -> anyhow::Result<(ReplayTarget, Option<OutputFile>)> {
    let replay = match &args.replay {
        _ if args.no_replay => ReplayTarget::Nowhere,
        Some(path) => {
            let file = OutputFile::new("--replay", path, Content::REPLAY, args.force);
            file.check()?;
            ReplayTarget::File(file)
        }
        None => ReplayTarget::Folder,
    };
    let Some(path) = &args.html else { return Ok((replay, None)) };
    if matches!(&replay, ReplayTarget::File(replay) if files::are_same(&replay.path, path)) {
        return Err(bad_input(format!("--html {}: the replay goes to this file; choose another name", path.display())));
    }
    let html = OutputFile::new("--html", path, PAGE, args.force);
    html.check()?;
    Ok((replay, Some(html)))
}

fn choose_map(args: &MatchArgs, ruleset: Ruleset) -> anyhow::Result<Map> {
    let mut map = match &args.map {
        Some(file) => map_source::read(file, Seed { given: args.seed, default: random_seed() }, ruleset)?,
        None => map_source::generate(args.seed.unwrap_or_else(random_seed), args.size.unwrap_or_default(), ruleset)?,
    };
    map.maze = map_source::with_turn_limit(map.maze, args.turns)?;
    Ok(map)
}
