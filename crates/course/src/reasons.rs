//! Why a submission cannot play, in both languages. What a compiler said stays as it is.

use pacman2_botzone::problem::Problem;
use pacman2_botzone::words::{Bilingual, Locale};
use pacman2_console::error::causes_of;
use serde_json::Value;

/// Returns the reason of an error about a submission.
pub(crate) fn of_error(error: &anyhow::Error) -> Bilingual {
    let en = format!("{error:#}");
    let Some(problem) = causes_of(error).into_iter().next() else { return Bilingual::new(en.clone(), en) };
    let zh = in_chinese(&problem);
    // The message says first that it does not compile, which the status says, too.
    let output = text(&problem, "output");
    match en.split_once(&output).filter(|_| !output.is_empty()) {
        Some((_, hint)) => {
            let zh = zh.map_or_else(|| hint.to_owned(), |zh| format!("\n{zh}"));
            Bilingual::new(output.clone() + &zh, output + hint)
        }
        None => Bilingual::new(zh.unwrap_or_else(|| en.clone()), en),
    }
}

/// Returns what the problem is, or what to do about what the compiler said, where that is known.
fn in_chinese(problem: &Problem) -> Option<String> {
    let text = |name| text(problem, name);
    Some(match problem.code.as_str() {
        "compiler-hint" => text("zh"),
        "compiler-library" => format!("可能没有安装 {}（Debian、Ubuntu：apt-get install {}）", text("name"), text("package")),
        "compiler-refused" => format!(
            "程序只能包含自己文件夹里的文件；文件夹里还有别的程序时，只能包含头文件和没有 main 的源文件，所以看不到 {}",
            text("name")
        ),
        "bot-other-kind" => {
            format!("需要 Bot，或者扩展名为 .zip 的 ZIP 压缩包，实际是 {} 文件；请解压后提交，或者压缩成 ZIP", text("kind"))
        }
        "compiler-time" => format!("{} 超过了 120 秒", text("program")),
        "compiler-memory" => format!("{} 使用的内存超过 2 GB", text("program")),
        "compiler-limits" => format!("{} 的进程数或输出超过了限制", text("program")),
        "program-too-large" => format!("编译出的程序超过 {} MB，请缩小其中的数组", problem.params.get("max_mb")?),
        "bot-not-executable" => {
            format!("{} 不可执行，扩展名也不是 {}；请加上执行权限，或改成正确的扩展名", text("file"), text("extensions"))
        }
        _ => {
            let cause = problem.params.get("causes").and_then(|causes| causes.get(0)).cloned();
            let cause: Option<Problem> = cause.and_then(|cause| serde_json::from_value(cause).ok());
            cause.as_ref().unwrap_or(problem).explanation(Locale::Chinese)?.to_string()
        }
    })
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
        let problem =
            Problem::new("compiler-library").with("name", "Gson").with("package", "libgson").with("output", "A.java:1: …");
        let error = uncompiled(problem, "A.java does not compile:\nA.java:1: …\nGson seems to be missing");
        let zh = "A.java:1: …\n可能没有安装 Gson（Debian、Ubuntu：apt-get install libgson）";
        assert_eq!(of_error(&error), Bilingual::new(zh, "A.java:1: …\nGson seems to be missing"));
    }

    #[test]
    fn errors_without_output() {
        let error = coded(Problem::new("compiler-time").with("program", "g++"), "g++ took longer than 120 s");
        assert_eq!(of_error(&error), Bilingual::new("g++ 超过了 120 秒", "g++ took longer than 120 s"));
        assert_eq!(of_error(&bad_input("odd")), Bilingual::new("odd", "odd"));
    }
}
