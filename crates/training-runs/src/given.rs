//! Nets that a run is given: the one to start from, and the one to train against.

use std::path::Path;
use std::sync::Arc;

use pacman2_bot_source::built_in::MAX_NET_BYTES;
use pacman2_bot_source::hash::hexadecimal;
use pacman2_bots::net::Net;
use pacman2_console::error::bad_input;
use pacman2_runner::read_input_file;
use sha2::{Digest, Sha256};

/// What means the net in the program.
const BUILT_IN: &str = "built-in";

/// A net that a run is given.
pub struct GivenNet {
    pub(crate) net: Arc<Net>,
    /// Its file.
    pub bytes: Vec<u8>,
    /// The hash of the file.
    pub hash: String,
}

impl GivenNet {
    /// Reads the net that was typed after an option.
    ///
    /// # Errors
    ///
    /// If there is no net in the file.
    pub fn read(option: &str, typed: &Path) -> anyhow::Result<GivenNet> {
        if typed == Path::new(BUILT_IN) {
            let net = Net::built_in();
            let bytes = net.write("the built-in net");
            return Ok(GivenNet::new(net, bytes));
        }
        let rejected = |why: String| {
            bad_input(format!("{option} {}: {why}; expected a net that pacman2 train made, or {BUILT_IN}", typed.display()))
        };
        let bytes = read_input_file(typed, MAX_NET_BYTES).map_err(|error| rejected(error.to_string()))?;
        let net = Net::read(&bytes).map_err(|error| rejected(error.to_string()))?;
        Ok(GivenNet::new(net, bytes))
    }

    fn new(net: Net, bytes: Vec<u8>) -> GivenNet {
        GivenNet { hash: hexadecimal(&Sha256::digest(&bytes)), net: Arc::new(net), bytes }
    }
}
