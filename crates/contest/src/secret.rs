//! Random secrets: links, cookies and tokens. The database has only their hashes, so a copy of it opens nothing.

use std::io;

use sha2::{Digest, Sha256};

/// A secret that was made or presented.
pub(crate) struct Secret(String);

impl Secret {
    /// Draws a secret of 256 bits.
    pub(crate) fn draw() -> io::Result<Secret> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Takes a secret that a request presents.
    pub(crate) fn presented(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// Returns what the database has of it.
    pub(crate) fn hash(&self) -> Vec<u8> {
        Sha256::digest(&self.0).to_vec()
    }

    /// Returns the secret for its owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}
