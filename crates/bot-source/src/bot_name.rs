//! Names for new bots that are safe in command lines and on all file systems.

/// The length limit of a name.
const MAX_CHARS: usize = 60;
/// What Windows takes for a device, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why a bot cannot have a name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{got}\": expected up to {MAX_CHARS} letters, digits, \"-\", \"_\" and \".\" as the bot's name, starting with a letter or digit, such as {suggested}"
)]
pub struct BotNameError {
    /// The name.
    pub got: String,
    /// A similar one that it can have.
    pub suggested: String,
}

/// Checks a name.
///
/// # Errors
///
/// If it is not safe everywhere.
///
/// ```
/// use pacman2_bot_source::bot_name::check;
///
/// assert_eq!(check("张三-2"), Ok(()));
/// assert_eq!(check("../a b").unwrap_err().suggested, "a-b");
/// assert_eq!(check("con.py").unwrap_err().suggested, "my-con.py");
/// ```
pub fn check(name: &str) -> Result<(), BotNameError> {
    let is_fine = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_device = is_device(name);
    if begins && !name.ends_with('.') && name.chars().all(is_fine) && name.chars().count() <= MAX_CHARS && !is_device {
        return Ok(());
    }
    let prefix = if is_device { "my-" } else { "" };
    let suggested: String =
        prefix.chars().chain(name.chars()).map(|c| if is_fine(c) { c } else { '-' }).take(MAX_CHARS).collect();
    let suggested = suggested.trim_start_matches(['-', '.']).trim_end_matches(['-', '.']);
    let suggested = if suggested.is_empty() { "mybot" } else { suggested };
    Err(BotNameError { got: name.to_owned(), suggested: suggested.to_owned() })
}

/// Returns whether Windows takes a name for a device.
#[must_use]
pub fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let port = ["com", "lpt"].iter().find_map(|port| stem.strip_prefix(port));
    let is_port = port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']) || ["¹", "²", "³"].contains(&number));
    is_port || DEVICES.contains(&stem.as_str())
}

/// Returns a similar name that is free.
pub fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut names = (2..).map(|number: u64| format!("{name}{number}"));
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_windows_are_no_names() {
        for name in ["con", "NUL", "aux.py", "Com1", "lpt9.tar.gz", "com²"] {
            assert!(is_device(name) && check(name).is_err(), "{name}");
        }
        for name in ["console", "com", "com10", "com0", "nullable.py"] {
            assert!(!is_device(name) && check(name).is_ok(), "{name}");
        }
    }
}
