//! Matches as pages: `match --html`, `match --open` and `replay convert` to a page.

mod common;

use std::fs;

use common::*;

/// A place with something that is started instead of a browser, and the PATH on which it is found.
#[cfg(unix)]
fn with_browser(script: &str) -> (Place, String) {
    let place = Place::new();
    for name in ["xdg-open", "open"] {
        place.write_executable(name, script);
    }
    let path = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap());
    (place, path)
}

#[test]
fn a_match_becomes_a_page() {
    let place = Place::new();
    let ran = place.run("match greedy random random random --seed 5 --turns 4 --html match.html").succeeded();
    assert!(ran.stdout.contains("page match.html"), "{}", ran.stdout);
    let page = place.read("match.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("pacman2 replay"));
    assert_eq!(place.names(), ["match.html", "replays"]);
    let ran = place.run("match greedy random random random --turns 4 --no-replay --json --html match.html").succeeded();
    assert_eq!(ran.json()["page"], "match.html");
    place
        .run("match greedy random random random --html nowhere/match.html")
        .refused(&["nowhere/match.html", "in a folder that exists"]);
}

#[test]
fn replays_and_match_logs_become_pages() {
    let place = Place::new();
    place.run("match greedy random random random --seed 5 --turns 4 --replay replay.json").succeeded();
    place.run("replay convert replay.json log.json").succeeded();
    for (from, to) in [("replay.json", "one.html"), ("log.json", "other.HTML")] {
        place.run(&format!("replay convert {from} {to}")).succeeded();
        let page = place.read(to);
        assert!(page.starts_with("<!doctype html>") && page.contains("pacman2 replay"), "{from}");
    }
}

#[test]
#[cfg(unix)]
fn a_match_is_opened_in_the_browser() {
    let (place, path) = with_browser("#!/bin/sh\necho \"$@\" >> opened\n");
    let open = |line: &str| {
        let mut command = place.command(line);
        command.env("PATH", &path).env("TMPDIR", place.path(""));
        start(command, "").wait().succeeded();
        wait_until("the browser to be started", || exists(&place.path("opened")));
        let opened = place.read("opened").trim_end().to_owned();
        fs::remove_file(place.path("opened")).unwrap();
        assert!(fs::read_to_string(place.path(&opened)).unwrap().contains("pacman2 replay"), "{opened}");
        opened
    };
    let bots = "greedy random random random --turns 3";
    assert_eq!(open(&format!("match {bots} --open")), "replays/last.html");
    assert_eq!(open(&format!("match {bots} --open --html match.html")), "match.html");
    assert_eq!(open(&format!("match {bots} --open --as-process")), "replays/last.html");
    let elsewhere = open(&format!("match {bots} --open --no-replay"));
    assert!(elsewhere.contains("pacman2-") && elsewhere.ends_with(".html"), "{elsewhere}");
    place.run("replay convert replays/last.json log.json").succeeded();
    assert_ne!(open("replay open replays/last.json"), open("replay open log.json"));
    place.run("replay open replays/last.html").refused(&["replays/last.html: not JSON"]);
}

#[test]
#[cfg(unix)]
fn a_browser_outlives_the_match() {
    let (place, path) = with_browser("#!/bin/sh\nexec sleep MARK\n");
    let mut command = place.command("match greedy random random random --turns 3 --open --as-process");
    command.env("PATH", &path);
    start(command, "").wait().succeeded();
    let browsers = place.survivors();
    if cfg!(target_os = "linux") {
        assert_eq!(browsers.len(), 1, "{browsers:?}");
    }
    for browser in browsers {
        let pid = browser.split(':').next().unwrap();
        assert!(std::process::Command::new("kill").arg(pid).status().unwrap().success());
    }
    place.is_soon_deserted();
}

#[test]
#[cfg(unix)]
fn without_a_browser_the_page_is_still_there() {
    let (place, path) = with_browser("#!/bin/sh\nexit 3\n");
    for other in ["gio", "gnome-open", "kde-open", "wslview"] {
        place.write_executable(other, "#!/bin/sh\nexit 3\n");
    }
    let mut command = place.command("match greedy random random random --turns 3 --html match.html --open");
    command.env("PATH", &path);
    let ran = start(command, "").wait().succeeded();
    assert!(ran.stderr.contains("no browser could be started; open match.html yourself"), "{}", ran.stderr);
    assert!(exists(&place.path("match.html")));
}
