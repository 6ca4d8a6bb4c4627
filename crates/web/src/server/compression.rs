//! Compresses responses with gzip for clients that accept it.
//!
//! Only responses to `GET` are compressed. They contain nothing secret, so their length reveals nothing: tokens are only sent
//! in responses to `POST`. Streams are not compressed, because events would wait in the compressor.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::Extension;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::request::blocking;
use super::response::{html_response, policy};
use crate::page::Page;

/// The smallest text that is compressed. Shorter ones fit into one packet anyway.
const MIN_BYTES: u64 = 1024;
/// The types of compressed responses.
const TEXTS: [&str; 3] = ["text/html", "text/javascript", "application/json"];

/// The compressed form of a response that is always the same: compressed once, and kept. As an extension of a response, it says
/// that the response is of this kind.
#[derive(Clone, Default)]
pub(super) struct KeptGzip(Arc<OnceLock<Bytes>>);

/// A page that is compressed once.
pub struct KeptPage {
    html: Bytes,
    csp: HeaderValue,
    gzip: KeptGzip,
}

impl KeptPage {
    /// Keeps a page.
    #[must_use]
    pub fn new(page: Page) -> KeptPage {
        let csp = policy(&page.csp);
        KeptPage { html: page.html.into(), csp, gzip: KeptGzip::default() }
    }

    /// Returns the page as a response.
    #[must_use]
    pub fn response(&self) -> Response {
        (Extension(self.gzip.clone()), html_response(self.html.clone(), self.csp.clone())).into_response()
    }
}

/// Compresses a response if it is worth it and the client accepts it.
pub(super) async fn compress(request: Request, next: Next) -> Response {
    let is_get = request.method() == Method::GET;
    let is_accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_get || !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !is_accepted {
        return response;
    }
    let kept = response.extensions_mut().remove::<KeptGzip>();
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, usize::MAX).await.expect("a text in memory can be read");
    let compressed = blocking(move || match kept {
        Some(KeptGzip(kept)) => kept.get_or_init(|| gzip(&text, Compression::best())).clone(),
        None => gzip(&text, Compression::fast()),
    });
    match compressed.await {
        Ok(compressed) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(compressed))
        }
        Err(error) => error.into_response(),
    }
}

/// Returns whether a response is a text of known length, and long enough.
fn is_compressible(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    response.status() == StatusCode::OK
        && TEXTS.iter().any(|text| content_type.starts_with(text))
        && response.body().size_hint().exact().is_some_and(|bytes| bytes >= MIN_BYTES)
}

fn gzip(text: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory can be written to").into()
}

/// Returns whether `Accept-Encoding` allows gzip: by name, or else as any encoding.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut named, mut any) = (None, None);
    for item in values.flat_map(|value| value.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let is_allowed = weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0));
        match name {
            name if name.eq_ignore_ascii_case("gzip") => named = Some(is_allowed),
            "*" => any = Some(is_allowed),
            _ => {}
        }
    }
    named.or(any).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_accepts_gzip_by_name_or_with_any_encoding() {
        let accepts = |value: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        for value in ["gzip", "GZIP", "br, gzip;q=0.5", "deflate,gzip", "*", "br;q=1, *;q=0.1", "gzip ; q=1"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "br", "identity", "gzip;q=0", "gzip; q=0.0", "*;q=0", "gzip;q=0, *", "gzipped", "gzip;q=x"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
