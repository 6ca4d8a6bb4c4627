//! Programs that are installed on this machine.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Returns what to type to install a package, where that is known.
pub(crate) fn how_to_install(package: &str) -> String {
    if cfg!(target_os = "linux") { format!(" (Debian and Ubuntu: apt-get install {package})") } else { String::new() }
}

/// Finds the program of this name in `PATH`.
pub fn find_in_path(name: &OsStr) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let file = format!("{}{}", name.to_str()?, env::consts::EXE_SUFFIX);
    env::split_paths(&folders).flat_map(|folder| [folder.join(name), folder.join(&file)]).find(|path| path.is_file())
}
