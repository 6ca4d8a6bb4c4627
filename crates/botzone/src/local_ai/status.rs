//! What a status other than 200 means.

/// Why Botzone did not answer a request, by its status and body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such user, or the secret is another (401).
    Secret,
    /// The user's level is too low for Local AI (401).
    Level,
    /// Another reason for 401.
    Unauthorized,
    /// Come back later (403, 429): a match cannot be started right now.
    Wait,
    /// A server in between got no answer in time (502, 504). The request may have arrived.
    Gateway,
    /// The site has a problem (other statuses from 500).
    Unavailable,
    /// The site wants the client elsewhere (3xx).
    Redirected,
    /// The request is wrong (other statuses).
    Rejected,
}

impl Refusal {
    /// Returns what a status means; `None` for 200.
    ///
    /// ```
    /// use pacman2_botzone::local_ai::Refusal;
    ///
    /// assert_eq!(Refusal::from_status(200, "0 0"), None);
    /// assert_eq!(Refusal::from_status(401, "Wrong secret"), Some(Refusal::Secret));
    /// assert_eq!(Refusal::from_status(401, "Your level is too low"), Some(Refusal::Level));
    /// assert_eq!(Refusal::from_status(504, ""), Some(Refusal::Gateway));
    /// ```
    #[must_use]
    pub fn from_status(status: u16, body: &str) -> Option<Refusal> {
        let names = |word: &str| body.to_ascii_lowercase().contains(word);
        Some(match status {
            200 => return None,
            401 if names("secret") => Refusal::Secret,
            401 if names("level") => Refusal::Level,
            401 => Refusal::Unauthorized,
            403 | 429 => Refusal::Wait,
            502 | 504 => Refusal::Gateway,
            500.. => Refusal::Unavailable,
            300..=399 => Refusal::Redirected,
            _ => Refusal::Rejected,
        })
    }

    /// Returns whether the same request may succeed later.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        matches!(self, Refusal::Wait | Refusal::Gateway | Refusal::Unavailable)
    }
}
