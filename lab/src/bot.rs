//! Built-in bots as they are typed.

use std::error::Error;
use std::fs;
use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_bots::{BotConfig, BotSpec};

/// Reads a bot and its net, if it names one.
pub fn read(text: &str) -> Result<BotConfig, Box<dyn Error>> {
    let spec: BotSpec = text.parse()?;
    let config = spec.config()?;
    let Some(file) = &spec.net else { return Ok(config) };
    Ok(config.with_net(Arc::new(Net::read(&fs::read(file)?)?))?)
}
