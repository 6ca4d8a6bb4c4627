//! The page of a contest: signing in, one's own versions, and what staff do.
//!
//! Its sources are in `contest/`. It shares modules with the viewer and with the page of an arena.

use crate::page::{self, Page};

const FRAME: &str = include_str!("../contest/index.html");
const STYLE: &str = include_str!("../bundle/contest.css").trim_ascii_end();
const SCRIPT: &str = include_str!("../bundle/contest.js").trim_ascii_end();

/// Returns the page, which asks the server that it came from. It contains nothing of the contest.
///
/// # Examples
/// ```
/// assert!(pacman2_web::contest::page().csp.contains("connect-src 'self'"));
/// ```
#[must_use]
pub fn page() -> Page {
    let csp = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        page::hash(SCRIPT),
        page::hash(STYLE),
    );
    Page { html: page::fill(FRAME, &[("{csp}", &csp), ("{style}", STYLE), ("{script}", SCRIPT)]), csp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_begins_with_the_mark() {
        let html = page().html;
        assert!(html.starts_with("<!doctype html>") && html[..1024].contains(page::MARK));
    }
}
