//! The account on Botzone: the site, the user and the secret. They are parts of one address, which the user copies from the site.

use std::env;
use std::fmt;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use etcetera::BaseStrategy;
use pacman2_console::error::bad_input;
use pacman2_console::files::unreadable;
use pacman2_runner::read_input_file;

/// The environment variable with the address.
const VARIABLE: &str = "PACMAN2_BOTZONE";
/// The size limit of a file with the address.
const MAX_BYTES: u64 = 4096;
const EXPECTED: &str =
    "expected the address of Local AI as the site shows it, https://www.botzone.org.cn/api/USER/SECRET/localai";

/// A text that is never shown. It has no way to be printed.
#[derive(Clone)]
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A site: `https` and a host, or this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site(String);

/// An account on Botzone.
#[derive(Clone, Debug)]
pub struct Account {
    site: Site,
    user: String,
    secret: Secret,
    /// The file that it was read from.
    file: Option<PathBuf>,
}

impl Account {
    /// Reads the address from a file or the environment. Call it while the process has a single thread.
    ///
    /// # Errors
    ///
    /// If there is no address, or a file with it that others can read.
    pub fn find(secret_file: Option<&Path>) -> anyhow::Result<Account> {
        let variable = take_variable();
        if let Some(file) = secret_file {
            return Account::read(file);
        }
        if let Some(text) = variable {
            return Account::parse(&text).ok_or_else(|| bad_input(format!("{VARIABLE}: {EXPECTED}")));
        }
        match default_file() {
            Some(file) if file.exists() => Account::read(&file),
            file => {
                let file = file.map_or_else(String::new, |file| format!(" in {},", file.display()));
                Err(bad_input(format!(
                    "no account: put the address of Local AI, https://www.botzone.org.cn/api/USER/SECRET/localai,{file} in a file named by --secret-file, or in the environment variable {VARIABLE}"
                )))
            }
        }
    }

    fn read(file: &Path) -> anyhow::Result<Account> {
        let name = file.display();
        let bytes = read_input_file(file, MAX_BYTES).map_err(|error| unreadable(file, &error))?;
        check_private(file)?;
        let text = String::from_utf8(bytes).ok();
        let account = text.as_deref().and_then(Account::parse).ok_or_else(|| bad_input(format!("{name}: {EXPECTED}")))?;
        Ok(Account { file: Some(file.to_owned()), ..account })
    }

    /// Returns the account of an address, or `None`: an error must not repeat any of the text.
    fn parse(text: &str) -> Option<Account> {
        let address = text.trim_start_matches('\u{feff}').trim();
        let (site, path) = address.split_once("/api/")?;
        let mut parts = path.trim_end_matches('/').split('/');
        let (user, secret) = (parts.next()?, parts.next()?);
        let is_end = matches!((parts.next(), parts.next()), (None | Some("localai" | "runmatch" | "abortmatch"), None));
        let is_plain = |part: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            (1..=128).contains(&part.len()) && part.bytes().all(is_plain) && !part.bytes().all(|byte| byte == b'.')
        };
        if !is_end || !is_plain(user) || !is_plain(secret) {
            return None;
        }
        Some(Account { site: Site::from_address(site)?, user: user.to_owned(), secret: Secret(secret.to_owned()), file: None })
    }

    /// Returns the address of a call. It holds the secret: nothing may show it.
    pub(crate) fn address(&self, call: &str) -> String {
        format!("{}/api/{}/{}/{call}", self.site.0, self.user, self.secret.0)
    }

    /// Returns the site of the account.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the file with the address, which a bot must not read.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Replaces the secret in a text of the site, which may repeat our address: in capitals or small letters, with escapes of
    /// addresses, JSON or HTML, or with blanks and invisible characters in between.
    pub(super) fn redact(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(length) = spelling(rest, &self.secret.0) {
                redacted.push('…');
                rest = &rest[length..];
            } else {
                redacted.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        redacted
    }
}

/// Returns the length of a spelling of the secret at the start of a text.
fn spelling(text: &str, secret: &str) -> Option<usize> {
    let mut length = 0;
    for (index, wanted) in secret.chars().enumerate() {
        let mut spelled = character(&text[length..])?;
        while index > 0 && !spelled.0.is_ascii_graphic() {
            length += spelled.1;
            spelled = character(&text[length..])?;
        }
        if !spelled.0.eq_ignore_ascii_case(&wanted) {
            return None;
        }
        length += spelled.1;
    }
    (length > 0).then_some(length)
}

/// Returns the first character of a text, of which it may be an escape, and its length.
fn character(text: &str) -> Option<(char, usize)> {
    let escape = |start: &str, digits: usize| {
        let digits = text.strip_prefix(start)?.get(..digits)?;
        Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, start.len() + digits.len()))
    };
    let entity = || {
        let rest = text.strip_prefix("&#")?;
        let number = rest.get(..rest.bytes().take(8).position(|byte| byte == b';')?)?;
        let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
        Some((char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?)?, number.len() + 3))
    };
    let plain = || text.chars().next().map(|c| (c, c.len_utf8()));
    escape("%", 2).or_else(|| escape("\\u", 4)).or_else(|| escape("\\x", 2)).or_else(entity).or_else(plain)
}

/// A text that is not the address of a site.
#[derive(Debug, thiserror::Error)]
#[error("expected the address of a site, such as https://www.botzone.org.cn")]
pub struct SiteError;

impl FromStr for Site {
    type Err = SiteError;

    /// Returns the site of an address without a path. Other machines are asked by `https` only.
    fn from_str(text: &str) -> Result<Site, SiteError> {
        Site::from_address(text).ok_or(SiteError)
    }
}

impl Site {
    fn from_address(text: &str) -> Option<Site> {
        let text = text.trim_end_matches('/');
        let (scheme, host_and_port) = text.split_once("://")?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        if host_and_port.is_empty() || !host_and_port.bytes().all(is_plain) {
            return None;
        }
        let host = match host_and_port.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => port.parse::<u16>().ok().map(|_| host)?,
            _ => host_and_port,
        };
        let is_here =
            host == "localhost" || host.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback());
        (scheme == "https" || scheme == "http" && is_here).then(|| Site(text.to_owned()))
    }

    /// Returns the address of the log of a match.
    pub(super) fn log_address(&self, id: &pacman2_botzone::local_ai::MatchId) -> String {
        format!("{}/match/{id}?lite=true", self.0)
    }

    /// Returns whether it is this machine, which no proxy leads to.
    pub(super) fn is_here(&self) -> bool {
        self.0.starts_with("http://")
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes the address out of the environment, so that no trusted bot inherits it.
#[allow(unsafe_code)]
fn take_variable() -> Option<String> {
    let text = env::var(VARIABLE).ok();
    // SAFETY: the caller guarantees that there is no other thread, which could read the environment meanwhile.
    unsafe { env::remove_var(VARIABLE) };
    text
}

/// Returns the file that is read if no other place is named.
fn default_file() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("pacman2").join("botzone"))
}

#[cfg(unix)]
fn check_private(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let name = file.display();
    let mode = fs::metadata(file).map_err(|error| bad_input(format!("{name}: {error}")))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(bad_input(format!("{name}: other users can read this file, which holds your secret; run \"chmod 600 {name}\"")))
}

/// Other systems keep the files of a user's home private.
#[cfg(not(unix))]
fn check_private(file: &Path) -> anyhow::Result<()> {
    fs::metadata(file).map(drop).map_err(|error| bad_input(format!("{}: {error}", file.display())))
}

#[cfg(test)]
mod account_tests {
    use super::*;

    #[test]
    fn addresses() {
        let account = Account::parse(" https://www.botzone.org.cn/api/5f3a/hush-42/localai\n").unwrap();
        assert_eq!(account.address("runmatch"), "https://www.botzone.org.cn/api/5f3a/hush-42/runmatch");
        assert_eq!(account.site(), &"https://www.botzone.org.cn/".parse().unwrap());
        assert!(!format!("{account:?}").contains("hush"), "{account:?}");
        assert_eq!(account.redact("no /api/5f3a/hush-42/x"), "no /api/5f3a/…/x");
        for spelled in ["HUSH-42", "%68ush%2D42", r"h\u0075sh-42", "h&#117;sh&#x2d;42", "hu\u{200b}sh -\n42"] {
            assert_eq!(account.redact(&format!("é {spelled} %")), "é … %");
        }
        for good in
            ["https://a.b/api/u/s", "https://a.b:8443/api/u/s/", "http://127.0.0.1:80/api/u/s/localai", "http://[::1]:80/api/u/s"]
        {
            assert!(Account::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "u/s",
            "https://a.b/api/u",
            "https://a.b/api/u/s/other",
            "https://a.b/api/u/s/localai/x",
            "https://a.b/api/u/s s",
            "https://a.b/api/u/..",
            "http://www.botzone.org.cn/api/u/s/localai",
            "http://127.0.0.1.example.org/api/u/s",
            "https://user@a.b/api/u/s",
            "https://a.b:x/api/u/s",
            "ftp://a.b/api/u/s",
        ] {
            assert!(Account::parse(bad).is_none(), "{bad}");
        }
    }
}
