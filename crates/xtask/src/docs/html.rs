//! Reads and writes HTML.

use html5gum::{Token, Tokenizer};

pub(super) struct Attribute {
    pub(super) tag: String,
    pub(super) name: String,
    pub(super) value: String,
}

/// Returns all attributes of all tags in the text.
pub(super) fn attributes(text: &str) -> Vec<Attribute> {
    let mut attributes = vec![];
    for Ok(token) in Tokenizer::new(text) {
        let Token::StartTag(tag) = token else { continue };
        for (name, value) in &tag.attributes {
            let [tag, name, value] = [&tag.name, name, &value.value].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            attributes.push(Attribute { tag, name, value });
        }
    }
    attributes
}

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a page of the site that no other program makes.
pub(super) fn page(title: &str, language: &str, body: &str) -> String {
    format!(
        r#"<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }}
a {{ color: light-dark(#0b6b58, #6fd3bd); }}
dd {{ margin: 0 0 0.6rem; }}
.books {{ display: flex; flex-wrap: wrap; gap: 1rem; margin: 2rem 0; }}
.books a {{ flex: 1 1 12rem; padding: 1.2rem; border: 1px solid currentColor; border-radius: 0.6rem; text-decoration: none; }}
.books strong {{ display: block; font-size: 1.3rem; }}
</style>
</head>
<body>
{body}</body>
</html>
"#,
        escape(title)
    )
}
