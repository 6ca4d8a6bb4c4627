//! Matches as HTML pages: `play --html`, `play --open` and `replay convert`.

use std::fs;

use crate::common::*;

/// Returns a folder with a script that is started instead of a browser, and the PATH that finds it.
#[cfg(unix)]
fn with_browser(script: &str) -> (TestDir, String) {
    let dir = TestDir::new();
    for name in ["xdg-open", "open"] {
        dir.write_executable(name, script);
    }
    let path = format!("{}:{}", dir.path("").display(), std::env::var("PATH").unwrap());
    (dir, path)
}

#[test]
fn a_match_becomes_a_page() {
    let dir = TestDir::new();
    let result = dir.run("match greedy random random random --seed 5 --turns 4 --html match.html").succeeded();
    assert!(result.stdout.contains("page match.html"), "{}", result.stdout);
    let page = dir.read("match.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("pacman2 replay"));
    assert_eq!(dir.names(), ["match.html", "replays"]);
    let result = dir.run("match greedy random random random --turns 4 --no-replay --json --html match.html").succeeded();
    assert_eq!(result.json()["page"], "match.html");
    dir.run("match greedy random random random --html nowhere/match.html")
        .refused(&["nowhere/match.html", "in an existing folder"]);
}

#[test]
fn replays_and_match_logs_become_pages() {
    let dir = TestDir::new();
    dir.run("match greedy random random random --seed 5 --turns 4 --replay replay.json").succeeded();
    dir.run("replay convert replay.json log.json").succeeded();
    for (from, to) in [("replay.json", "one.html"), ("log.json", "other.HTML")] {
        dir.run(&format!("replay convert {from} {to}")).succeeded();
        let page = dir.read(to);
        assert!(page.starts_with("<!doctype html>") && page.contains("pacman2 replay"), "{from}");
    }
}

#[test]
#[cfg(unix)]
fn a_match_is_opened_in_the_browser() {
    let (dir, path) = with_browser("#!/bin/sh\necho \"$@\" >> opened\n");
    let open = |line: &str| {
        let mut command = dir.command(line);
        command.env("PATH", &path).env("TMPDIR", dir.path(""));
        start(command, "").wait().succeeded();
        wait_until("the browser to be started", || exists(&dir.path("opened")));
        let opened = dir.read("opened").trim_end().to_owned();
        fs::remove_file(dir.path("opened")).unwrap();
        assert!(fs::read_to_string(dir.path(&opened)).unwrap().contains("pacman2 replay"), "{opened}");
        opened
    };
    let bots = "greedy random random random --turns 3";
    assert_eq!(open(&format!("match {bots} --open")), "replays/last.html");
    assert_eq!(open(&format!("match {bots} --open --html match.html")), "match.html");
    assert_eq!(open(&format!("match {bots} --open --as-process")), "replays/last.html");
    let elsewhere = open(&format!("match {bots} --open --no-replay"));
    assert!(elsewhere.contains("pacman2-") && elsewhere.ends_with(".html"), "{elsewhere}");
    dir.run("replay convert replays/last.json log.json").succeeded();
    assert_ne!(open("open replays/last.json"), open("open log.json"));
    let link = dir.run("replay convert replays/last.json --link").succeeded().stdout;
    let linked = open(&format!("open '{}'", link.trim_end()));
    assert!(linked.contains("pacman2-") && linked.ends_with(".html"), "{linked}");
    // A page of this program is opened, too.
    assert_ne!(open("open replays/last.html"), "replays/last.html");
}

#[test]
#[cfg(unix)]
fn a_link_is_opened_at_its_turn() {
    let (dir, path) = with_browser("#!/bin/sh\necho \"$@\" > opened~; mv opened~ opened\n");
    dir.run("match greedy random random random --turns 3 --replay it.json").succeeded();
    let link = dir.run("replay convert it.json --link --turn 2").succeeded().stdout;
    let mut command = dir.command(&format!("open '{}'", link.trim_end()));
    command.env("PATH", &path).env("TMPDIR", dir.path(""));
    start(command, "").wait().succeeded();
    wait_until("the browser to be started", || exists(&dir.path("opened")));
    let opened = dir.read("opened");
    let page =
        opened.strip_prefix("file://").and_then(|rest| rest.strip_suffix("#turn=2\n")).unwrap_or_else(|| panic!("{opened}"));
    assert!(fs::read_to_string(page).unwrap().contains("pacman2 replay"));
}

#[test]
#[cfg(unix)]
fn the_documentation_is_opened_in_the_language_of_the_locale() {
    let (dir, path) = with_browser("#!/bin/sh\necho \"$@\" > opened~; mv opened~ opened\n");
    for (locale, part, ends, title) in
        [("zh_CN.UTF-8", "", ".html", "<h1 id=\"lessons-六"), ("C.UTF-8", "LESSONS", ".html#lessons", "<h1 id=\"lessons-six")]
    {
        let mut command = dir.command(&format!("docs {part}"));
        command.env("PATH", &path).env("TMPDIR", dir.path("")).env("LC_ALL", "").env("LANG", locale).env_remove("LC_MESSAGES");
        let printed = start(command, "").wait().succeeded().stdout;
        wait_until("the browser to be started", || exists(&dir.path("opened")));
        let opened = dir.read("opened");
        fs::remove_file(dir.path("opened")).unwrap();
        assert!(opened.trim_end().ends_with(ends), "{opened}");
        assert!(fs::read_to_string(printed.trim_end()).unwrap().contains(title), "{locale}");
    }
    dir.run("docs nothing").misused(&["possible values: readme, guide"]);
}

#[test]
#[cfg(unix)]
fn the_browser_outlives_the_match() {
    let (dir, path) = with_browser("#!/bin/sh\nexec sleep MARK\n");
    let mut command = dir.command("match greedy random random random --turns 3 --open --as-process");
    command.env("PATH", &path);
    start(command, "").wait().succeeded();
    let browsers = dir.survivors();
    if cfg!(target_os = "linux") {
        assert_eq!(browsers.len(), 1, "{browsers:?}");
    }
    for browser in browsers {
        let pid = browser.split(':').next().unwrap();
        assert!(std::process::Command::new("kill").arg(pid).status().unwrap().success());
    }
    dir.wait_until_deserted();
}

#[test]
#[cfg(unix)]
fn without_a_browser_the_page_is_written() {
    let (dir, path) = with_browser("#!/bin/sh\nexit 3\n");
    for other in ["gio", "gnome-open", "kde-open", "wslview"] {
        dir.write_executable(other, "#!/bin/sh\nexit 3\n");
    }
    let mut command = dir.command("match greedy random random random --turns 3 --html match.html --open");
    command.env("PATH", &path);
    let result = start(command, "").wait().succeeded();
    assert!(result.stderr.contains("cannot start a browser; open match.html yourself"), "{}", result.stderr);
    assert!(exists(&dir.path("match.html")));
}
