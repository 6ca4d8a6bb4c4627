//! Rust source as tokens, as far as paths and modules need it.

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Ident(String),
    /// A string literal without its quotes.
    Text(String),
    /// `::`
    PathSep,
    Punct(char),
}

/// The tokens of a source text. Comments, numbers, lifetimes and characters are left out.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let is_ident = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied().unwrap_or('\0');
        match c {
            '/' if next == '/' => at = find(&chars, at, "\n"),
            '/' if next == '*' => at = end_of_comment(&chars, at),
            '"' => {
                let end = end_of_string(&chars, at);
                tokens.push(Token::Text(chars[at + 1..end - 1].iter().collect()));
                at = end;
            }
            '\'' => at = end_of_quote(&chars, at),
            ':' if next == ':' => {
                tokens.push(Token::PathSep);
                at += 2;
            }
            c if is_ident(c) => {
                let end = (at..chars.len()).find(|&end| !is_ident(chars[end])).unwrap_or(chars.len());
                let word: String = chars[at..end].iter().collect();
                at = end;
                let hashes = (end..chars.len()).take_while(|&hash| chars[hash] == '#').count();
                if ["r", "br", "cr"].contains(&word.as_str()) && chars.get(end + hashes) == Some(&'"') {
                    let closing = format!("\"{}", "#".repeat(hashes));
                    at = find(&chars, end + hashes + 1, &closing) + closing.len();
                } else if word == "r" && hashes == 1 {
                    // A raw identifier: its name comes next.
                    at = end + 1;
                } else if !c.is_ascii_digit() {
                    tokens.push(Token::Ident(word));
                }
            }
            c if c.is_whitespace() => at += 1,
            c => {
                tokens.push(Token::Punct(c));
                at += 1;
            }
        }
    }
    tokens
}

/// Where this text is next, or the end.
fn find(chars: &[char], from: usize, text: &str) -> usize {
    let text: Vec<char> = text.chars().collect();
    (from..chars.len()).find(|&at| chars[at..].starts_with(&text)).unwrap_or(chars.len())
}

fn end_of_comment(chars: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0, from);
    while at < chars.len() {
        match chars[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// The end of a character, or of the quote of a lifetime.
fn end_of_quote(chars: &[char], from: usize) -> usize {
    match chars[from..] {
        ['\'', '\\', _, ..] => find(chars, from + 3, "'") + 1,
        ['\'', _, '\'', ..] => from + 3,
        _ => from + 1,
    }
}
