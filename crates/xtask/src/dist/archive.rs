//! Archives: gzipped tar files whose bytes depend on nothing but their content.

use std::fs::File;
use std::path::Path;

use anyhow::Context;
use flate2::{Compression, GzBuilder};

/// A file of an archive or a package.
pub(super) struct Entry {
    /// The path from the root of the archive or the system, with `/` on every system.
    pub(super) path: String,
    pub(super) is_program: bool,
    pub(super) bytes: Vec<u8>,
}

impl Entry {
    pub(super) fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.into(), is_program: false, bytes: bytes.into() }
    }

    pub(super) fn program(path: impl Into<String>, bytes: Vec<u8>) -> Entry {
        Entry { path: path.into(), is_program: true, bytes }
    }

    pub(super) fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Writes an archive in which all files are root's and of the same time.
pub(super) fn write(path: &Path, mut entries: Vec<Entry>, epoch: u64) -> anyhow::Result<()> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut archive = tar::Builder::new(GzBuilder::new().write(file, Compression::best()));
    for entry in &entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode());
        header.set_mtime(epoch);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

/// Compresses as `gzip -9n` does.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    std::io::Write::write_all(&mut packed, bytes).and_then(|()| packed.finish()).expect("memory can be written")
}
