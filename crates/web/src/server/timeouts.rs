//! How long a server waits for clients.

use std::time::Duration;

/// How long a server waits.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the head of a request, from the beginning of the connection or the end of the response before.
    pub head: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// For a client that does not read what it requested.
    pub write: Duration,
    /// Until the code in an address expires.
    pub code: Duration,
    /// For a human without a clock whose match is shown by no page. Then the match is abandoned.
    pub unattended: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            head: Duration::from_secs(20),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            code: Duration::from_secs(600),
            unattended: Duration::from_secs(600),
        }
    }
}
