//! An archive with a bot: it is unpacked or rejected, inside its folder and within the limits.

#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::source::BotSource;

fuzz_target!(|archive: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.zip");
    fs::write(&path, archive).unwrap();
    let Ok(unpacked) = Unpacked::from_source(&BotSource::Archive(path)) else { return };
    let BotSource::Folder(found) = &unpacked.source else { return };
    let found = fs::canonicalize(found).unwrap();
    assert!(unpacked.folders.iter().any(|folder| found.starts_with(fs::canonicalize(folder.path()).unwrap())));
});
