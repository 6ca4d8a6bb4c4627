//! `pacman2 completions` and `pacman2 man`.

use std::process::Command;

use crate::common::{PACMAN2, TestDir, copy_program, has, start};

/// Command lines that a shell asks to complete, each with its completions.
const ASKED: [(&str, &str); 8] = [
    ("ser", "serve"),
    ("jai", ""),
    ("play bot.py hu", "hunter"),
    ("play mybo", "mybot.py"),
    ("bot style snip", "sniper sniper-10"),
    ("arena add sa", "sample sage"),
    ("arena retire hunter@", "hunter@1"),
    ("arena --arena other compare hunter@1 hunt", "hunter"),
];

/// A folder with an arena, the scripts of all shells, and a command that finds the program.
fn dir_with_arena() -> TestDir {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    dir.run("arena add hunter greedy").succeeded();
    dir.write("mybot.py", "");
    std::fs::create_dir(dir.path("bin")).unwrap();
    std::fs::hard_link(PACMAN2, dir.path("bin/pacman2")).unwrap_or_else(|_| copy_program(&dir.path("bin/pacman2")));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        dir.write(shell, &dir.run(&format!("completions {shell}")).succeeded().stdout);
    }
    dir
}

/// Runs a script of a shell, and returns the words that it prints; `None` if the shell is not there.
fn words_of(dir: &TestDir, shell: &str, arguments: &[&str]) -> Option<String> {
    if !has(shell, "completions in it") {
        return None;
    }
    let mut command = Command::new(shell);
    dir.isolate(&mut command);
    let path = format!("{}:{}", dir.path("bin").display(), std::env::var("PATH").unwrap());
    let printed = start(
        {
            command.args(arguments).env("PATH", path).env("HOME", dir.path(""));
            command
        },
        "",
    )
    .wait();
    Some(printed.stdout.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn bash_completes_verbs_and_bots() {
    let dir = dir_with_arena();
    for (line, completed) in ASKED {
        let (last, number) = (line.rsplit(' ').next().unwrap(), line.split(' ').count());
        let ask = format!(
            "source ./bash; COMP_WORDS=(pacman2 {line}); COMP_CWORD={number}; _clap_complete_pacman2 pacman2 '{last}'; echo \"${{COMPREPLY[@]}}\"; \
             [[ $COMP_WORDBREAKS != *@* ]]"
        );
        let Some(words) = words_of(&dir, "bash", &["--norc", "-c", &ask]) else { return };
        assert_eq!(words, completed, "{line}");
    }
}

#[test]
fn fish_completes_verbs_and_bots() {
    let dir = dir_with_arena();
    for (line, completed) in ASKED {
        // What a completion means stands after a tab.
        let ask = format!("source ./fish; complete --do-complete 'pacman2 {line}' | cut -f 1");
        let Some(words) = words_of(&dir, "fish", &["--no-config", "-c", &ask]) else { return };
        assert_eq!(words, completed, "{line}");
    }
}

/// Zsh completes on a terminal only, and loads the script when it first completes.
#[test]
fn zsh_completes_verbs_and_bots() {
    let dir = dir_with_arena();
    std::fs::rename(dir.path("zsh"), dir.path("_pacman2")).unwrap();
    for (line, completed) in ASKED.into_iter().filter(|(_, completed)| !completed.is_empty()) {
        // What several have in common is put into the line.
        let seen = completed.split(' ').next().unwrap();
        let ask = format!(
            "zmodload zsh/zpty; zpty shell zsh -f -i; \
             zpty -w shell 'PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; echo be\\gin'; zpty -r shell out '*begin*'; \
             zpty -w -n shell $'pacman2 {line}\\t'; zpty -r shell out '*{seen}*'; echo $out; zpty -d shell"
        );
        let Some(words) = words_of(&dir, "zsh", &["-f", "-c", &ask]) else { return };
        // The shell on the terminal ends a moment after the one that asked it.
        dir.wait_until_deserted();
        assert!(words.contains(seen), "{line}: {words}");
    }
}

/// These shells are rarely there.
#[test]
fn powershell_and_elvish_ask_the_program() {
    let dir = dir_with_arena();
    for shell in ["powershell", "elvish"] {
        assert!(dir.read(shell).contains("PACMAN2_COMPLETE"), "{shell}");
        let mut command = dir.command("-- pacman2 arena retire gre");
        command.env("PACMAN2_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "3");
        assert_eq!(start(command, "").wait().succeeded().stdout.trim(), "greedy@1", "{shell}");
    }
    dir.run("completions tcsh").misused(&["invalid value 'tcsh'", "bash"]);
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let dir = TestDir::new();
    dir.run("man pages").succeeded();
    for name in ["pacman2.1", "pacman2-play.1", "pacman2-arena-compare.1", "pacman2-replay-convert.1"] {
        let page = dir.read(&format!("pages/{name}"));
        assert!(page.contains(&format!("\n.TH {} 1", name.trim_end_matches(".1"))), "{name}: {page}");
    }
    assert!(!dir.path("pages/pacman2-jail.1").exists());

    dir.run("man pages").succeeded();
    dir.write("pages/pacman2-map.1", "mine");
    dir.run("man pages").refused(&["pages/pacman2-map.1: the file exists and is no page of the manual"]);
    dir.run("man pages --force").succeeded();
}
