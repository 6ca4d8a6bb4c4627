//! The connection to the site: one request at a time, with limits on time and size.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pacman2_botzone::local_ai::MatchId;
use pacman2_console::text::{excerpt, sanitize};
use ureq::Timeout;

use super::account::{Account, Site};

/// The time to find and reach the site, to send a request, and to receive the rest of a reply that has begun.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time in which a reply other than that to a poll has to begin.
pub(super) const REPLY_TIME: Duration = Duration::from_secs(30);
/// The largest reply. A whole match is a few dozen kilobytes.
const MAX_REPLY_BYTES: u64 = 4 * 1024 * 1024;
/// The largest match log.
const MAX_LOG_BYTES: u64 = 16 * 1024 * 1024;
/// How much of a reply's text an error quotes.
const MAX_QUOTED_CHARS: usize = 200;
/// How often a call looks whether the program is to end.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// What is asked of the site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    /// The long poll. The reply may take this long.
    Poll(Duration),
    RunMatch,
    AbortMatch,
    Log(MatchId),
}

/// A header: name and value.
pub(crate) type Header = (String, String);

/// A reply, whatever its status.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// Why there is no reply. The texts hold no address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum HttpError {
    #[error("the site cannot be reached: {0}")]
    NotReached(String),
    #[error("no reply within {} s", .0.as_secs())]
    Silent(Duration),
    #[error("the reply stopped in the middle")]
    Slow,
    #[error("expected a reply of at most {0} bytes, got more")]
    TooLarge(u64),
    #[error("the connection failed: {0}")]
    Broken(String),
    #[error("interrupted")]
    Stopped,
}

/// The site as the loop sees it.
pub(crate) trait Transport {
    /// Sends a request and waits for the reply.
    fn get(&mut self, call: Call, headers: &[Header]) -> Result<Reply, HttpError>;

    /// Returns what the site says, fit to be shown.
    fn quote(&self, text: &str) -> String;
}

/// The site by HTTP. Each request has its own connection, so that none waits behind one that hangs.
#[derive(Clone)]
pub(crate) struct Client<'a> {
    site: Site,
    account: Option<Account>,
    stop: &'a AtomicBool,
}

impl<'a> Client<'a> {
    /// A client that acts for a user.
    pub(crate) fn new(account: Account, stop: &'a AtomicBool) -> Client<'a> {
        Client { site: account.site().clone(), account: Some(account), stop }
    }

    /// A client that only fetches logs.
    pub(crate) fn anonymous(site: Site, stop: &'a AtomicBool) -> Client<'a> {
        Client { site, account: None, stop }
    }

    fn address(&self, call: &Call) -> String {
        let of_user = |name| self.account.as_ref().map_or_else(String::new, |account| account.address(name));
        match call {
            Call::Poll(_) => of_user("localai"),
            Call::RunMatch => of_user("runmatch"),
            Call::AbortMatch => of_user("abortmatch"),
            Call::Log(id) => self.site.log_address(id),
        }
    }
}

impl Transport for Client<'_> {
    /// Another thread waits for the reply, so that the program can end before.
    fn get(&mut self, call: Call, headers: &[Header]) -> Result<Reply, HttpError> {
        let (address, headers, is_here) = (self.address(&call), headers.to_vec(), self.site.is_here());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(exchange(&address, &call, &headers, is_here)));
        loop {
            match receiver.recv_timeout(STOP_CHECK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(HttpError::Broken("it ended".to_owned())),
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => return Err(HttpError::Stopped),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn quote(&self, text: &str) -> String {
        let text = self.account.as_ref().map_or_else(|| text.to_owned(), |account| account.redact(text));
        sanitize(&excerpt(text.trim(), MAX_QUOTED_CHARS))
    }
}

/// Sends one request. It holds the secret, so errors are put into our own words.
fn exchange(address: &str, call: &Call, headers: &[Header], is_here: bool) -> Result<Reply, HttpError> {
    let reply_time = if let Call::Poll(time) = call { *time } else { REPLY_TIME };
    let limit = if let Call::Log(_) = call { MAX_LOG_BYTES } else { MAX_REPLY_BYTES };
    let config = ureq::Agent::config_builder()
        .user_agent(concat!("pacman2/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        // Elsewhere the secret and the answers have no business.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(0)
        .timeout_resolve(Some(PATIENCE))
        .timeout_connect(Some(PATIENCE))
        .timeout_send_request(Some(PATIENCE))
        .timeout_recv_response(Some(reply_time))
        .timeout_recv_body(Some(PATIENCE))
        .timeout_global(Some(reply_time + 4 * PATIENCE));
    let config = if is_here { config.proxy(None) } else { config };
    let agent: ureq::Agent = config.build().into();
    let request = headers.iter().fold(agent.get(address), |request, (name, value)| request.header(name, value));
    let in_words = |error| describe(error, reply_time, limit);
    let mut reply = request.call().map_err(in_words)?;
    let status = reply.status().as_u16();
    let body = reply.body_mut().with_config().limit(limit).read_to_vec().map_err(in_words)?;
    Ok(Reply { status, body: String::from_utf8_lossy(&body).into_owned() })
}

fn describe(error: ureq::Error, reply_time: Duration, limit: u64) -> HttpError {
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect | Timeout::SendRequest) => {
            HttpError::NotReached(format!("no connection within {} s", PATIENCE.as_secs()))
        }
        ureq::Error::Timeout(Timeout::RecvBody) => HttpError::Slow,
        ureq::Error::Timeout(_) => HttpError::Silent(reply_time),
        ureq::Error::HostNotFound => HttpError::NotReached("no such host".to_owned()),
        ureq::Error::ConnectionFailed => HttpError::NotReached("no connection".to_owned()),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            HttpError::NotReached("the connection was refused".to_owned())
        }
        // So come errors of TLS that are noticed while data is read, such as a certificate that is not trusted.
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            HttpError::NotReached(format!("no secure connection: {error}"))
        }
        ureq::Error::Io(error) => HttpError::Broken(error.to_string()),
        ureq::Error::Rustls(error) => HttpError::NotReached(format!("no secure connection: {error}")),
        ureq::Error::Tls(reason) => HttpError::NotReached(format!("no secure connection: {reason}")),
        ureq::Error::BodyExceedsLimit(_) => HttpError::TooLarge(limit),
        ureq::Error::LargeResponseHeader(..) => HttpError::Broken("the headers of the reply are too large".to_owned()),
        ureq::Error::InvalidProxyUrl | ureq::Error::ConnectProxyFailed(_) => {
            HttpError::NotReached("the proxy in the environment does not connect".to_owned())
        }
        _ => HttpError::Broken("the reply is not HTTP, or was cut off".to_owned()),
    }
}

#[cfg(test)]
mod http_tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_site_that_does_not_speak_tls_is_not_trusted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://{}/api/user/hush/localai", listener.local_addr().unwrap());
        let site = thread::spawn(move || drop(listener.accept().unwrap().0.write_all(b"HTTP/1.1 200 OK\r\n\r\n0 0\n")));
        let error = exchange(&address, &Call::RunMatch, &[], false).unwrap_err();
        site.join().unwrap();
        assert!(error.to_string().starts_with("the site cannot be reached: no secure connection: "), "{error}");
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}
