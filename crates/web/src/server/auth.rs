//! The door: who may ask, and what every answer says about itself.
//!
//! Any page that a browser shows can have it send requests to this machine. So a request must be meant for this server by
//! name (else a foreign name could be made to lead here: DNS rebinding), must not come from a foreign page, and must bear
//! the token if it would change anything.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use super::House;
use super::response::ApiError;

/// Where the page is.
pub(super) const PAGE: &str = "/";
/// Where the page is that other pages may frame.
pub(super) const FRAMED_PAGE: &str = "/botzone-player.html";
/// Where the page of the arena is.
pub(super) const ARENA: &str = "/arena";
/// What the address of a page with a game of the arena begins with.
pub(super) const ARENA_GAMES: &str = "/arena/games/";

/// The policy of what is no page.
const NOTHING: &str = "default-src 'none'";

/// What the door knows.
pub(super) struct Door {
    address: SocketAddr,
    /// This machine's name, by which others may call it.
    machine: String,
    token: String,
}

impl Door {
    pub(super) fn new(address: SocketAddr, token: String) -> Door {
        let machine = gethostname::gethostname().to_string_lossy().to_ascii_lowercase();
        Door { address, machine, token }
    }

    fn examine(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        let refused = |sentence: String| Err(ApiError::new(StatusCode::FORBIDDEN, sentence));
        let host = the_only(headers, &header::HOST).unwrap_or_default();
        let named = request.uri().authority().map_or(host, Authority::as_str);
        if named != host || !self.answers_to(host) {
            return refused(format!("this server does not go by that name; open http://127.0.0.1:{}/", self.address.port()));
        }
        if let Some(origin) = headers.get(header::ORIGIN)
            && !origin.as_bytes().eq_ignore_ascii_case(format!("http://{host}").as_bytes())
        {
            return refused("a page from elsewhere may ask nothing here".to_owned());
        }
        if is_from_elsewhere(headers) && !is_visit(request) {
            return refused("a page from elsewhere may ask nothing here".to_owned());
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) && !self.is_trusted(headers) {
            let sentence = "the token is missing or wrong; open the address that the terminal shows";
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, sentence));
        }
        Ok(())
    }

    /// Whether this name leads to nobody but us. No foreign name can: an address cannot be made to lead elsewhere.
    fn answers_to(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let port = authority.port_u16().or(authority.port().is_none().then_some(80));
        if port != Some(self.address.port()) || host.contains('@') {
            return false;
        }
        let name = authority.host().to_ascii_lowercase();
        let own = self.address.ip();
        match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || !own.is_loopback(),
            Err(_) if name == "localhost" => true,
            Err(_) => {
                !own.is_loopback()
                    && !self.machine.is_empty()
                    && (name == self.machine || name == format!("{}.local", self.machine))
            }
        }
    }

    fn is_trusted(&self, headers: &HeaderMap) -> bool {
        let given = the_only(headers, &header::AUTHORIZATION).and_then(|given| given.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && bool::from(token.as_bytes().ct_eq(self.token.as_bytes()))
        })
    }
}

/// The value of a header that is there once.
fn the_only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then_some(value)?.to_str().ok()
}

/// Whether the browser says that another site's page asks; another port of this machine is another site's, too.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

/// Whether a person follows a link to a page, or a page is framed that may be.
fn is_visit(request: &Request) -> bool {
    let says = |name: &str, values: &[&str]| {
        request.headers().get(name).is_some_and(|given| values.iter().any(|value| given.as_bytes() == value.as_bytes()))
    };
    let places: &[&str] = match request.uri().path() {
        PAGE | ARENA => &["document"],
        path if path.starts_with(ARENA_GAMES) => &["document"],
        FRAMED_PAGE => &["document", "iframe", "frame"],
        _ => return false,
    };
    request.method() == Method::GET && says("sec-fetch-mode", &["navigate"]) && says("sec-fetch-dest", places)
}

/// Lets in who may come in, and sees to the headers of every answer.
pub(super) async fn guard(State(house): State<Arc<House>>, request: Request, next: Next) -> Response {
    let may_be_framed = request.uri().path() == FRAMED_PAGE;
    let mut response = match house.door.examine(&request) {
        Ok(()) => next.run(request).await,
        Err(trouble) => trouble.into_response(),
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
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(NOTHING));
    if !may_be_framed {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        // A policy of its own: all policies must agree.
        headers.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(address: &str) -> Door {
        let address = address.parse().expect("an address");
        Door { address, machine: "abacus".to_owned(), token: "secret".to_owned() }
    }

    #[test]
    fn at_home_it_goes_by_the_names_of_this_machine_only() {
        let door = door("127.0.0.1:8770");
        for host in ["127.0.0.1:8770", "localhost:8770", "LOCALHOST:8770", "[::1]:8770"] {
            assert!(door.answers_to(host), "{host}");
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
            assert!(!door.answers_to(host), "{host}");
        }
    }

    #[test]
    fn for_others_it_goes_by_addresses_and_the_name_of_the_machine() {
        let door = door("0.0.0.0:8770");
        for host in ["127.0.0.1:8770", "localhost:8770", "192.168.0.7:8770", "[fe80::1]:8770", "abacus:8770", "Abacus.local:8770"]
        {
            assert!(door.answers_to(host), "{host}");
        }
        for host in ["192.168.0.7:80", "evil.example:8770", "abacus.evil.example:8770", "7.0.0.10.in-addr.arpa:8770"] {
            assert!(!door.answers_to(host), "{host}");
        }
    }

    #[test]
    fn at_port_80_a_name_needs_no_port() {
        assert!(door("127.0.0.1:80").answers_to("localhost"));
    }
}
