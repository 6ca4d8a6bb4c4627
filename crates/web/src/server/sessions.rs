//! The tokens that allow to change something: the long-lived one, which the terminal shows, and one for each session of a page.
//!
//! Browsers keep the first address of a page in their history, whatever the page does to it later. So an address contains a
//! code instead of a token: it works once and for a few minutes, and the page exchanges it for a session token.
//!
//! The page keeps its token in `sessionStorage` and sends it in a header. A cookie would be worse here, even an `HttpOnly`
//! one with `SameSite=Strict`: browsers send cookies to every port of a host, so other servers on this machine, maybe of
//! other users, would get it, and it would come with requests that the page did not make.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;

/// How many sessions there may be. The oldest one ends when there are more.
const MAX_SESSIONS: usize = 256;

pub(super) struct Sessions {
    /// The long-lived token.
    token: String,
    issued: Mutex<Issued>,
}

#[derive(Default)]
struct Issued {
    /// Unused codes, with the times at which they expire.
    codes: Vec<(String, Instant)>,
    /// The tokens of sessions, oldest first.
    tokens: VecDeque<String>,
}

impl Sessions {
    pub(super) fn new(token: String) -> Sessions {
        Sessions { token, issued: Mutex::default() }
    }

    /// Returns a new one-time code, which expires after `lifetime`.
    ///
    /// # Errors
    /// Fails if the operating system has no random numbers.
    pub(super) fn new_code(&self, now: Instant, lifetime: Duration) -> io::Result<String> {
        let code = new_token()?;
        let mut issued = self.issued();
        issued.codes.retain(|(_, expiry)| *expiry > now);
        issued.codes.push((code.clone(), now + lifetime));
        Ok(code)
    }

    /// Exchanges a one-time code or the long-lived token for the token of a new session; `None` if it is neither.
    ///
    /// # Errors
    /// Fails if the operating system has no random numbers.
    pub(super) fn open(&self, secret: &str, now: Instant) -> io::Result<Option<String>> {
        let token = new_token()?;
        let mut issued = self.issued();
        let code = issued.codes.iter().position(|(code, _)| is_equal(code, secret));
        let is_valid = match code {
            Some(index) => issued.codes.swap_remove(index).1 > now,
            None => is_equal(&self.token, secret),
        };
        if !is_valid {
            return Ok(None);
        }
        if issued.tokens.len() == MAX_SESSIONS {
            issued.tokens.pop_front();
        }
        issued.tokens.push_back(token.clone());
        Ok(Some(token))
    }

    /// Returns whether a token is the long-lived one or that of a session.
    pub(super) fn is_valid(&self, token: &str) -> bool {
        is_equal(&self.token, token) || self.issued().tokens.iter().any(|own| is_equal(own, token))
    }

    fn issued(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_equal(own: &str, given: &str) -> bool {
    own.as_bytes().ct_eq(given.as_bytes()).into()
}

/// Returns a random token of 32 hexadecimal digits.
///
/// # Errors
/// Fails if the operating system has no random numbers.
///
/// # Examples
/// ```
/// let token = pacman2_web::server::new_token()?;
/// assert_eq!(token.len(), 32);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn new_token() -> io::Result<String> {
    let [high, low] = [getrandom::u64()?, getrandom::u64()?];
    Ok(format!("{high:016x}{low:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_secs(600);

    #[test]
    fn a_code_works_once() {
        let (sessions, now) = (Sessions::new("secret".to_owned()), Instant::now());
        let (first, second) = (sessions.new_code(now, LIFETIME).unwrap(), sessions.new_code(now, LIFETIME).unwrap());
        let token = sessions.open(&first, now).unwrap().unwrap();
        assert!(token != first && token != "secret");
        assert_eq!(sessions.open(&first, now).unwrap(), None);
        assert!(sessions.open(&second, now).unwrap().is_some());
        assert!(sessions.is_valid(&token) && sessions.is_valid("secret"));
        for secret in ["", "wrong", &first, &token] {
            assert_eq!(sessions.open(secret, now).unwrap(), None, "{secret}");
        }
        assert!(!sessions.is_valid(&first) && !sessions.is_valid(""), "a code is no token");
    }

    #[test]
    fn a_code_expires() {
        let (sessions, now) = (Sessions::new("secret".to_owned()), Instant::now());
        let codes = [sessions.new_code(now, LIFETIME).unwrap(), sessions.new_code(now, LIFETIME).unwrap()];
        assert!(sessions.open(&codes[0], now + LIFETIME - Duration::from_millis(1)).unwrap().is_some());
        assert_eq!(sessions.open(&codes[1], now + LIFETIME).unwrap(), None);
        assert_eq!(sessions.open(&codes[1], now).unwrap(), None, "an expired code is forgotten");
    }

    #[test]
    fn the_long_lived_token_opens_any_number_of_sessions_and_the_oldest_end() {
        let (sessions, now) = (Sessions::new("secret".to_owned()), Instant::now());
        let tokens: Vec<String> = (0..=MAX_SESSIONS).map(|_| sessions.open("secret", now).unwrap().unwrap()).collect();
        assert!(!sessions.is_valid(&tokens[0]));
        assert!(tokens[1..].iter().all(|token| sessions.is_valid(token)));
    }
}
