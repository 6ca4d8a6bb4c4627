//! Why a submission cannot play, in both languages. What a compiler said stays as it is.

use pacman2_botzone::problem::Problem;
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::error::causes_of;
use pacman2_console::language::in_both;
use serde_json::Value;

/// Returns the reason of an error about a submission.
pub(crate) fn from_error(error: &anyhow::Error) -> Bilingual {
    let en = format!("{error:#}");
    let Some(problem) = causes_of(error).into_iter().next() else { return in_both(en) };
    let zh = explained(&problem);
    // The message says first that it does not compile, which the status says, too.
    let output = text(&problem, "output");
    match en.split_once(&output).filter(|_| !output.is_empty()) {
        Some((_, hint)) => {
            let zh = zh.map_or_else(|| hint.to_owned(), |zh| format!("\n{zh}"));
            Bilingual::new(output.clone() + &zh, output + hint)
        }
        None => zh.map_or_else(|| in_both(&en), |zh| Bilingual::new(zh, &en)),
    }
}

/// Returns what the problem is, or what to do about what the compiler said, where that is known.
fn explained(problem: &Problem) -> Option<String> {
    let cause = problem.params.get("causes").and_then(|causes| causes.get(0)).cloned();
    let cause: Option<Problem> = cause.and_then(|cause| serde_json::from_value(cause).ok());
    Some(cause.as_ref().unwrap_or(problem).explanation(Locale::Chinese)?.to_string())
}

/// Returns a parameter that is a text.
fn text(problem: &Problem, name: &str) -> String {
    problem.params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use pacman2_console::error::{bad_input, coded, uncompiled};

    use super::*;

    #[test]
    fn what_is_around_the_compilers_lines_is_in_the_readers_language() {
        let hint = Problem::new("compiler-library").with("name", "Gson").with("package", "libgson");
        let problem = Problem::new("compiler-output").because(&[hint]).with("output", "A.java:1: …");
        let error = uncompiled(problem, "A.java does not compile:\nA.java:1: …\nGson seems to be missing");
        let zh = "A.java:1: …\n似乎缺少 Gson（Debian、Ubuntu：apt-get install libgson）";
        assert_eq!(from_error(&error), Bilingual::new(zh, "A.java:1: …\nGson seems to be missing"));
    }

    #[test]
    fn errors_without_output() {
        let error = coded(Problem::new("compiler-time").with("program", "g++"), "g++ took longer than 120 s");
        assert_eq!(from_error(&error), Bilingual::new("g++ 用时超过 120 s", "g++ took longer than 120 s"));
        assert_eq!(from_error(&bad_input("cannot read x")), Bilingual::new("无法读取 x", "cannot read x"));
    }
}
