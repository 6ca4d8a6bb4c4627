//! When to ask the site again after a failure, and when to give up.

use std::time::Duration;

use pacman2_botzone::local_ai::Refusal;

use super::http::HttpError;

/// The time before the next attempt; the longest such time.
const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);

/// Why a request had no useful reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The site refused it. The text is what the site said.
    Refused { refusal: Refusal, status: u16, said: String },
    /// There was no reply.
    Http(HttpError),
    /// The reply cannot be read, for this reason.
    Garbage(String),
}

/// The failures since the last success.
#[derive(Default)]
pub(super) struct Retry {
    failures: u32,
    shown: Option<String>,
}

impl Retry {
    /// Returns how long to wait after this failure; `None` to give up, because it would fail again.
    pub(crate) fn after(&mut self, failure: &Failure) -> Option<Duration> {
        let longer = FIRST.saturating_mul(1 << self.failures.min(8)).min(LONGEST);
        let wait = match failure {
            Failure::Refused { refusal: Refusal::Gateway, .. } => FIRST,
            Failure::Refused { refusal, .. } if !refusal.is_temporary() => return None,
            Failure::Http(HttpError::Stopped) => return None,
            // That was a long wait already.
            Failure::Http(HttpError::Silent(_)) => Duration::ZERO,
            _ => longer,
        };
        self.failures += 1;
        Some(wait)
    }

    /// Returns whether a failure is another than the last one, and so worth a message.
    pub(super) fn is_news(&mut self, failure: &Failure) -> bool {
        let text = failure.to_string();
        let is_news = self.shown.as_ref() != Some(&text);
        self.shown = Some(text);
        is_news
    }

    /// Notes a success. Returns whether there was a failure that was shown.
    pub(crate) fn succeeded(&mut self) -> bool {
        self.failures = 0;
        self.shown.take().is_some()
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Http(error) => error.fmt(f),
            Failure::Garbage(error) => write!(f, "the reply cannot be read: {error}"),
            Failure::Refused { refusal, status, said } => {
                let reason = match refusal {
                    Refusal::Secret => {
                        "there is no such user, or the secret is wrong; copy the address of Local AI from the site again"
                    }
                    Refusal::Level => "your level on the site is too low for Local AI",
                    Refusal::Unauthorized => "the site does not let this user in",
                    Refusal::Wait => "the site asks to wait",
                    Refusal::Gateway => "the site does not answer right now",
                    Refusal::Unavailable => "the site has a problem or is in maintenance",
                    Refusal::Redirected => "the site has moved; copy the address of Local AI from the site again",
                    Refusal::Rejected => "the site rejects the request",
                };
                write!(f, "{reason} (status {status}{})", if said.is_empty() { String::new() } else { format!(": {said}") })
            }
        }
    }
}

#[cfg(test)]
mod retry_tests {
    use super::*;

    fn refused(status: u16, body: &str) -> Failure {
        Failure::Refused { refusal: Refusal::from_status(status, body).unwrap(), status, said: body.to_owned() }
    }

    #[test]
    fn gateway_errors_are_retried_after_five_seconds_each_time() {
        let mut retry = Retry::default();
        for status in [502, 504, 502, 504, 502, 504] {
            assert_eq!(retry.after(&refused(status, "")), Some(Duration::from_secs(5)));
        }
    }

    #[test]
    fn other_troubles_are_retried_ever_later() {
        let mut retry = Retry::default();
        let waits = [(); 6].map(|()| retry.after(&refused(403, "")).unwrap().as_secs());
        assert_eq!(waits, [5, 10, 20, 40, 60, 60]);
        assert!(!retry.succeeded());
        assert_eq!(retry.after(&Failure::Http(HttpError::Broken(String::new()))), Some(Duration::from_secs(5)));
    }

    #[test]
    fn what_would_fail_again_is_given_up() {
        for (status, body) in [(401, "wrong secret"), (401, "level"), (401, ""), (400, ""), (404, ""), (302, "")] {
            assert_eq!(Retry::default().after(&refused(status, body)), None, "{status}");
        }
    }

    #[test]
    fn a_message_comes_once_for_a_row_of_failures() {
        let mut retry = Retry::default();
        let shown = [502, 502, 504, 504, 502].map(|status| retry.is_news(&refused(status, "")));
        assert_eq!(shown, [true, false, true, false, true]);
        assert!(retry.succeeded() && !retry.succeeded());
    }
}
