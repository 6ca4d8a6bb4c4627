//! `pacman2 completions` and `pacman2 man`.

use crate::common::TestDir;

#[test]
fn every_shell_gets_a_script_with_all_commands() {
    let dir = TestDir::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = dir.run(&format!("completions {shell}")).succeeded().stdout;
        for word in ["match", "arena", "one-by-one", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert!(!script.contains("jail"), "{shell}: what is hidden is not completed");
    }
    dir.run("completions tcsh").misused(&["invalid value 'tcsh'", "bash"]);
}

/// The shell itself accepts the script.
#[test]
fn bash_completes_verbs_bots_and_styles() {
    let dir = TestDir::new();
    let script = dir.run("completions bash").succeeded().stdout;
    dir.write("pacman2.bash", &script);
    for (words, completed) in [
        ("ser", "serve"),
        ("match bot.py hu", "hunter"),
        ("arena add sa", "sample sage"),
        ("bot style snip", "sniper sniper-10"),
        ("match mybo", ""),
    ] {
        let (last, number) = (words.rsplit(' ').next().unwrap(), words.split(' ').count());
        let ask = format!(
            "source ./pacman2.bash; COMP_WORDS=(pacman2 {words}); COMP_CWORD={number}; _pacman2 pacman2 {last}; echo ${{COMPREPLY[@]}}"
        );
        let Ok(asked) = std::process::Command::new("bash").args(["-c", &ask]).current_dir(dir.path("")).output() else {
            return crate::common::report_skipped("completion in bash", "bash");
        };
        assert_eq!(String::from_utf8_lossy(&asked.stdout).trim(), completed, "{words}: {asked:?}");
    }
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
