//! Built-in bots as Python names them: exactly as on the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pacman2_bots::net::{Net, NetError};
use pacman2_bots::{BotConfig, BotConfigError, BotSpec, Method, ParseBotError};

/// The default effort of `sage`. Like all defaults of the package, it does not depend on the clock.
const SIMULATIONS_OF_SAGE: u32 = 2000;
/// The size limit of weights files.
const MAX_NET_BYTES: u64 = 1 << 20;

/// A built-in bot with options, and with its net read.
#[derive(Clone)]
pub(crate) struct LoadedBot {
    pub(crate) spec: BotSpec,
    pub(crate) config: BotConfig,
}

/// Why a built-in bot cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadBotError {
    /// The text names no built-in bot with valid options.
    #[error(transparent)]
    Spec(#[from] ParseBotError),
    /// The bot does not have an option.
    #[error(transparent)]
    Config(#[from] BotConfigError),
    /// The file of the net cannot be read.
    #[error("--net: {}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// The file of the net is a folder or a device.
    #[error("--net: {}: expected a regular file", .0.display())]
    NotRegular(PathBuf),
    /// The file holds no net.
    #[error("--net: {}: {error}", path.display())]
    Net { path: PathBuf, error: NetError },
}

impl LoadedBot {
    /// Loads a bot from what is typed on the command line, such as `sage --simulations 200 --net FILE`.
    pub(crate) fn parse(typed: &str) -> Result<LoadedBot, LoadBotError> {
        LoadedBot::load(typed.parse()?)
    }

    /// Reads the net of a bot. Without an effort, `sage` gets a number of simulations.
    pub(crate) fn load(mut spec: BotSpec) -> Result<LoadedBot, LoadBotError> {
        if spec.built_in.method == Method::Search && spec.time_ms.is_none() {
            spec.simulations.get_or_insert(SIMULATIONS_OF_SAGE);
        }
        let config = spec.config()?;
        let config = match &spec.net {
            Some(path) => config.with_net(Arc::new(read_net(path)?))?,
            None => config,
        };
        Ok(LoadedBot { spec, config })
    }
}

fn read_net(path: &Path) -> Result<Net, LoadBotError> {
    let failed = |error| LoadBotError::File { path: path.to_owned(), error };
    // Reading a pipe or a device may never end.
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(LoadBotError::NotRegular(path.to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(MAX_NET_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Net::read(&bytes).map_err(|error| LoadBotError::Net { path: path.to_owned(), error })
}
