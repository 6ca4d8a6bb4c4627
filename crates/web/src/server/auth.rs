//! Decides who may make a request, and adds the security headers to every response.
//!
//! Any web page can make a browser send requests to this machine. So a request must name this server as its host (or a
//! foreign name could be pointed here: DNS rebinding), must not come from a foreign page, and needs a token if it would
//! change anything, or if it is about the user's own bots. Only the request that exchanges a one-time code for a token comes without one.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use super::error::ApiError;
use super::my_bots;
use super::sessions::Sessions;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The path of the viewer.
pub(super) const PAGE: &str = "/";
/// The path of the only page that other pages may frame.
pub(super) const FRAMED_PAGE: &str = "/botzone-player.html";
/// The path of the page that frames it.
pub(super) const PREVIEW: &str = "/botzone";
/// The path of the arena's page.
pub(super) const ARENA: &str = "/arena";
/// Where a one-time code is exchanged for a token.
pub(super) const SESSION: &str = "/api/session";
/// The prefix of the pages with a game of the arena.
pub(super) const ARENA_GAMES: &str = "/arena/games/";

/// The Content-Security-Policy of responses that are no page.
const NO_CONTENT: &str = "default-src 'none'";

/// The checks that every request must pass.
pub(super) struct Auth {
    place: Place,
    sessions: Arc<Sessions>,
}

/// Where a server is reached.
pub(super) struct Place {
    address: SocketAddr,
    /// The host name of this machine, in lower case.
    host_name: String,
    /// Other names of it, in lower case.
    names: Vec<String>,
}

impl Auth {
    pub(super) fn new(address: SocketAddr, sessions: Arc<Sessions>) -> Auth {
        Auth { place: Place::new(address, &[]), sessions }
    }

    fn check(&self, request: &Request) -> Result<(), ApiError> {
        self.place.check(request)?;
        let path = request.uri().path();
        let only_reads = matches!(*request.method(), Method::GET | Method::HEAD) && !path.starts_with(my_bots::PATH);
        let needs_token = !only_reads && path != SESSION;
        if needs_token && !self.has_token(request.headers()) {
            return Err(ApiError::TokenNeeded {});
        }
        Ok(())
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let credentials = only_value(headers, &header::AUTHORIZATION).and_then(|value| value.split_once(' '));
        credentials.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && self.sessions.is_valid(token))
    }
}

impl Place {
    pub(super) fn new(address: SocketAddr, names: &[String]) -> Place {
        let host_name = gethostname::gethostname().to_string_lossy().to_ascii_lowercase();
        Place { address, host_name, names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Checks that a request names this server, and does not come from a foreign page.
    pub(super) fn check(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        let host = only_value(headers, &header::HOST).unwrap_or_default();
        let requested = request.uri().authority().map_or(host, Authority::as_str);
        if requested != host || !self.is_own_host(host) {
            return Err(ApiError::WrongHost { port: self.address.port() });
        }
        let has_foreign_origin = headers
            .get(header::ORIGIN)
            .is_some_and(|origin| !origin.as_bytes().eq_ignore_ascii_case(format!("http://{host}").as_bytes()));
        if has_foreign_origin || (is_cross_site(headers) && !is_navigation(request)) {
            return Err(ApiError::ForeignOrigin {});
        }
        Ok(())
    }

    /// Returns whether a `Host` header names this server. Addresses are safe, because they cannot be pointed elsewhere; foreign
    /// names are not.
    fn is_own_host(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let port = authority.port_u16().or(authority.port().is_none().then_some(80));
        if port != Some(self.address.port()) || host.contains('@') {
            return false;
        }
        let name = authority.host().to_ascii_lowercase();
        let own = self.address.ip();
        match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || !own.is_loopback(),
            Err(_) if name == "localhost" || self.names.contains(&name) => true,
            Err(_) => {
                !own.is_loopback()
                    && !self.host_name.is_empty()
                    && (name == self.host_name || name == format!("{}.local", self.host_name))
            }
        }
    }
}

/// The value of a header that occurs exactly once.
pub fn only_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then_some(value)?.to_str().ok()
}

/// Returns whether the browser says that a page of another site sent the request. Another port of this machine is another site.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

/// Returns whether a person follows a link to a page, or a page that may be framed is framed.
fn is_navigation(request: &Request) -> bool {
    let has_header = |name: &str, values: &[&str]| {
        request.headers().get(name).is_some_and(|given| values.iter().any(|value| given.as_bytes() == value.as_bytes()))
    };
    let destinations: &[&str] = match request.uri().path() {
        PAGE | PREVIEW | ARENA => &["document"],
        path if path.starts_with(ARENA_GAMES) => &["document"],
        FRAMED_PAGE => &["document", "iframe", "frame"],
        _ => return false,
    };
    request.method() == Method::GET && has_header("sec-fetch-mode", &["navigate"]) && has_header("sec-fetch-dest", destinations)
}

/// Rejects requests that may not be made, and adds the security headers to the response.
pub(super) async fn guard(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    pass(auth.check(&request), request, next).await
}

/// Rejects requests that do not name this server or come from a foreign page, and adds the security headers to the response.
pub(super) async fn guard_place(State(place): State<Arc<Place>>, request: Request, next: Next) -> Response {
    pass(place.check(&request), request, next).await
}

async fn pass(checked: Result<(), ApiError>, request: Request, next: Next) -> Response {
    let may_be_framed = request.uri().path() == FRAMED_PAGE;
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(NO_CONTENT));
    if !may_be_framed {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        // A second policy: a browser enforces all of them.
        headers.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str) -> Place {
        Place { address: address.parse().unwrap(), host_name: "abacus".to_owned(), names: vec!["ladder.example".to_owned()] }
    }

    #[test]
    fn on_the_loopback_address_only_local_names_are_accepted() {
        let place = place("127.0.0.1:8770");
        for host in ["127.0.0.1:8770", "localhost:8770", "LOCALHOST:8770", "[::1]:8770"] {
            assert!(place.is_own_host(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8771",
            "localhost",
            "evil.example:8770",
            "abacus:8770",
            "192.168.0.7:8770",
            "localhost.evil.example:8770",
            "127.0.0.1.evil.example:8770",
            "evil@127.0.0.1:8770",
            "127.0.0.1:8770@evil",
            ":8770",
            "127.0.0.1:99999",
            "127.0.0.1:8770/",
            "localhost:",
            "127.1:8770",
        ] {
            assert!(!place.is_own_host(host), "{host}");
        }
    }

    #[test]
    fn on_other_addresses_the_host_name_is_accepted_too() {
        let place = place("0.0.0.0:8770");
        for host in ["127.0.0.1:8770", "localhost:8770", "192.168.0.7:8770", "[fe80::1]:8770", "abacus:8770", "Abacus.local:8770"]
        {
            assert!(place.is_own_host(host), "{host}");
        }
        for host in ["192.168.0.7:80", "evil.example:8770", "abacus.evil.example:8770", "7.0.0.10.in-addr.arpa:8770"] {
            assert!(!place.is_own_host(host), "{host}");
        }
    }

    #[test]
    fn a_given_name_is_accepted_on_every_address() {
        for address in ["127.0.0.1:8770", "0.0.0.0:8770"] {
            assert!(place(address).is_own_host("Ladder.example:8770"));
            assert!(!place(address).is_own_host("x.ladder.example:8770"));
        }
    }

    #[test]
    fn on_port_80_a_host_without_a_port_is_accepted() {
        assert!(place("127.0.0.1:80").is_own_host("localhost"));
    }
}
