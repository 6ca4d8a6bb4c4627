//! The memory of bots: `data` comes back in the next turn, `globaldata` in later matches.

use crate::common::{TestDir, built_in, diagnostics, exists, verdicts};
use serde_json::{Value, json};

const PATIENT: &str = "--time-limit 60000";

/// Shell code that reads `data` and `globaldata` from the request.
const READS: &str = r#"
read -r question
data=$(printf '%s' "$question" | sed 's/.*"data":"\([^"]*\)".*/\1/')
globaldata=$(printf '%s' "$question" | sed 's/.*"globaldata":"\([^"]*\)".*/\1/')
"#;

/// Returns the `debug` of a seat, turn by turn.
fn debugs(replay: &Value, seat: usize) -> Vec<Value> {
    assert!(verdicts(replay, seat).iter().all(|&verdict| verdict == "OK"), "{}", replay["private"]);
    diagnostics(replay, seat).into_iter().map(|entry| entry["debug"].clone()).collect()
}

#[test]
fn data_comes_back_in_the_next_turn_and_only_then() {
    let dir = TestDir::new();
    let bot = format!(
        r#"{READS}
        case $data in
        '') kept='"data":"one",' ;;
        one) kept='"data":"two",' ;;
        two) kept='' ;;
        esac
        echo "{{${{kept}}\"response\":{{\"action\":-1}},\"debug\":\"$data\"}}""#
    );
    dir.write("bot.sh", &bot);
    let replay = dir.play(&format!("'sh bot.sh' greedy greedy greedy --seed 3 --turns 5 {PATIENT}"));
    assert_eq!(debugs(&replay, 0), ["", "one", "two", "", "one"]);
}

#[test]
fn responses_come_back_up_to_a_limit() {
    for (padding, comes_back) in [(10, true), (200_000, false)] {
        let dir = TestDir::new();
        let bot = format!(
            r#"
            read -r question
            has=$(printf '%s' "$question" | grep -c xxxxx)
            padding=$(head -c {padding} /dev/zero | tr '\0' x)
            echo "{{\"response\":{{\"action\":-1,\"padding\":\"$padding\"}},\"debug\":$has}}""#
        );
        dir.write("bot.sh", &bot);
        let replay = dir.play(&format!("'sh bot.sh' greedy greedy greedy --seed 3 --turns 2 {PATIENT}"));
        assert_eq!(debugs(&replay, 0), [json!(0), json!(i32::from(comes_back))]);
    }
}

/// Returns a bot that prints its globaldata in `debug`, and stores a word for the next match.
fn leaves(word: &str) -> String {
    format!(r#"{READS} echo "{{\"response\":{{\"action\":-1}},\"debug\":\"$globaldata\",\"globaldata\":\"{word}\"}}""#)
}

#[test]
fn globaldata_is_kept_for_each_bot() {
    let dir = TestDir::new();
    for name in ["one", "two"] {
        dir.write(&format!("{name}.sh"), &leaves(name));
    }
    let line = format!("'sh one.sh' 'sh two.sh' greedy greedy --seed 3 --turns 2 --globaldata kept {PATIENT}");
    let first = dir.play(&line);
    assert_eq!((debugs(&first, 0), debugs(&first, 1)), (vec![json!(""), json!("one")], vec![json!(""), json!("two")]));
    let second = dir.play(&line);
    assert_eq!((debugs(&second, 0), debugs(&second, 1)), (vec![json!("one"); 2], vec![json!("two"); 2]));
    // It belongs to the bot, not to the seat.
    let elsewhere = dir.play(&format!("greedy 'sh two.sh' greedy 'sh one.sh' --turns 1 --globaldata kept {PATIENT}"));
    assert_eq!((debugs(&elsewhere, 1), debugs(&elsewhere, 3)), (vec![json!("two")], vec![json!("one")]));
}

#[test]
fn globaldata_is_kept_only_where_asked() {
    let dir = TestDir::new();
    dir.write("bot.sh", &leaves("word"));
    for _ in 0..2 {
        assert_eq!(debugs(&dir.play(&format!("'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT}")), 0), [""]);
    }
    assert_eq!(dir.names(), ["bot.sh", "played.json"]);
}

#[test]
fn globaldata_stays_if_a_bot_does_not_set_it() {
    let dir = TestDir::new();
    let bot = format!(
        r#"{READS}
        [ "$globaldata" ] || kept='"globaldata":"word",'
        echo "{{${{kept}}\"response\":{{\"action\":-1}},\"debug\":\"$globaldata\"}}""#
    );
    dir.write("bot.sh", &bot);
    let line = format!("'sh bot.sh' greedy greedy greedy --seed 3 --turns 3 --globaldata kept {PATIENT}");
    assert_eq!(debugs(&dir.play(&line), 0), ["", "word", "word"]);
    assert_eq!(debugs(&dir.play(&line), 0), ["word"; 3]);
}

#[test]
fn a_bot_that_keeps_running_stores_nothing_after_its_first_answer() {
    let dir = TestDir::new();
    let bot = format!(
        r#"{READS}
        turn=1
        while :; do
            echo "{{\"response\":{{\"action\":-1}},\"debug\":\"$data$globaldata\",\"data\":\"d\",\"globaldata\":\"turn $turn\"}}"
            echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
            read -r question || exit
            case $question in *data*) globaldata='asked again' ;; esac
            turn=$((turn + 1))
        done"#
    );
    dir.write("bot.sh", &bot);
    let line = format!("'sh bot.sh' greedy greedy greedy --seed 3 --turns 3 --globaldata kept {PATIENT}");
    assert_eq!(debugs(&dir.play(&line), 0), [""; 3]);
    assert_eq!(debugs(&dir.play(&line), 0), ["turn 1"; 3]);
}

#[test]
fn globaldata_is_cut_at_100_kib() {
    let dir = TestDir::new();
    let bot = r#"read -r q; printf '{"response":{"action":-1},"globaldata":"'; head -c 200000 /dev/zero | tr '\0' g; echo '"}'"#;
    dir.write("bot.sh", bot);
    dir.play(&format!("'sh bot.sh' greedy greedy greedy --turns 1 --globaldata kept {PATIENT}"));
    let kept: Vec<u64> =
        std::fs::read_dir(dir.path("kept")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).collect();
    assert!(kept.contains(&(100 * 1024 + 2)), "{kept:?}");
}

/// A BOT argument may contain paths, and more characters than a file name.
#[test]
fn globaldata_is_kept_for_bots_with_long_and_similar_names() {
    let dir = TestDir::new();
    dir.write("bot.sh", &leaves("x").replace("\\\"x\\\"", "\\\"$1\\\""));
    let long = format!("sh bot.sh long {}", "word ".repeat(100));
    let line = format!("'{long}' 'sh bot.sh a_b' 'sh bot.sh a/b' greedy --turns 1 --globaldata kept {PATIENT}");
    dir.play(&line);
    let replay = dir.play(&line);
    assert_eq!([0, 1, 2].map(|seat| debugs(&replay, seat)[0].clone()), ["long", "a_b", "a/b"]);
}

#[test]
fn the_folder_of_globaldata_is_created() {
    let dir = TestDir::new();
    dir.play("greedy greedy greedy greedy --turns 1 --globaldata a/b/c");
    assert!(exists(&dir.path("a/b/c")));
}

/// A bot called `notes` would write `notes.txt`.
#[test]
fn a_folder_of_other_files_is_rejected() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("mine")).unwrap();
    dir.write("mine/notes.txt", "do not lose");
    let line = "match greedy greedy greedy greedy --turns 1 --no-replay --globaldata mine";
    dir.run(line).refused(&["--globaldata mine", "expected an empty folder or one with pacman2-globaldata.md"]);
    assert_eq!(std::fs::read_dir(dir.path("mine")).unwrap().count(), 1);
    dir.write("mine/pacman2-globaldata.md", "");
    dir.run(line).succeeded();
}

#[test]
fn an_invalid_folder_of_globaldata_is_rejected_before_the_match() {
    let dir = TestDir::new();
    dir.write("file", "");
    dir.run("match greedy greedy greedy greedy --globaldata file").refused(&["--globaldata file: "]);
    let bots = format!("{} greedy greedy greedy", built_in("greedy"));
    dir.run(&format!("match {bots} --globaldata file/sub")).refused(&["--globaldata file/sub: "]);
}

/// A bot that reads a file of its storage by both its names, adds a letter, and prints what it has read.
#[cfg(target_os = "linux")]
const LEARNS: &str = r#"read -r question; a=$(cat /data/learned); b=$(cat data/learned); printf x >> data/learned
    echo "{\"response\":{\"action\":-1},\"debug\":\"$a $b\"}""#;

#[cfg(target_os = "linux")]
#[test]
fn storage_is_the_folder_data_wherever_a_bot_was_started() {
    let Some(dir) = learner("storage is the folder data") else { return };
    for (folder, bot) in [(".", "bots/bot.sh"), ("bots", "bot.sh"), ("elsewhere", "../bots/bot.sh")] {
        let mut command =
            dir.command(&format!("match 'sh {bot}' greedy greedy greedy --turns 2 --replay r.json --force {PATIENT}"));
        command.current_dir(dir.path(folder));
        crate::common::start(command, "").wait().succeeded();
        let replay = dir.replay(&format!("{folder}/r.json"));
        assert_eq!(debugs(&replay, 0), ["a a", "ax ax"], "in {folder:?}");
    }
    assert_eq!(std::fs::read_to_string(dir.path("bots/data/learned")).unwrap(), "a");
}

#[cfg(target_os = "linux")]
#[test]
fn what_bots_write_is_their_own_and_dropped_unless_it_is_kept() {
    let Some(dir) = learner("storage is a bot's own") else { return };
    let line = format!("'sh bots/bot.sh' 'sh bots/bot.sh x' greedy greedy --turns 2 {PATIENT}");
    for _ in 0..2 {
        let replay = dir.play(&line);
        assert_eq!(
            (debugs(&replay, 0), debugs(&replay, 1)),
            (vec![json!("a a"), json!("ax ax")], vec![json!("a a"), json!("ax ax")])
        );
    }
    for first in ["a", "axx"] {
        let replay = dir.play(&format!("{line} --data kept"));
        assert_eq!(debugs(&replay, 1), [format!("{first} {first}"), format!("{first}x {first}x")]);
    }
    assert!(std::fs::read_dir(dir.path("kept")).unwrap().count() == 3, "a folder for each bot, and the mark");
    dir.run("match greedy greedy greedy greedy --turns 1 --no-replay --data bots").refused(&["--data bots", "pacman2-data.md"]);
}

/// Links could lead anywhere, and pipes have no end.
#[cfg(target_os = "linux")]
#[test]
fn only_files_and_folders_are_kept() {
    let Some(dir) = learner("only files and folders are kept") else { return };
    let bot = "ln -s /etc/passwd /data/link; mkfifo /data/pipe; mkdir -p /data/a/b; echo 1 > /data/a/b/c; chmod 0 /data/a/b/c; \
        read -r question; echo '{\"response\":{\"action\":-1}}'";
    dir.write("bots/bot.sh", bot);
    dir.play(&format!("'sh bots/bot.sh' greedy greedy greedy --turns 1 --data kept {PATIENT}"));
    let kept =
        std::fs::read_dir(dir.path("kept")).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(
        (names, std::fs::read_to_string(kept.join("a/b/c")).unwrap().as_str()),
        (vec!["a".into(), "learned".into()], "1\n")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn storage_that_is_too_large_is_not_kept() {
    let Some(dir) = learner("storage is bounded") else { return };
    let bot = "truncate -s 60M /data/a; truncate -s 60M /data/b; head -c 70000000 /dev/zero > /data/c 2>&-; rm /data/c; \
        read -r question; echo '{\"response\":{\"action\":-1}}'";
    dir.write("bots/bot.sh", bot);
    let line = format!("match 'sh bots/bot.sh' greedy greedy greedy --turns 1 --no-replay --data kept {PATIENT}");
    let result = dir.run(&line).succeeded();
    assert!(result.stderr.contains("files of sh bots/bot.sh are not kept: "), "{result:?}");
    assert!(result.stderr.contains("more than 1001 files or 64 MB"), "{result:?}");
    assert_eq!(std::fs::read_dir(dir.path("kept")).unwrap().count(), 1, "the mark");
}

/// A folder that does not fit is there to be read.
#[cfg(target_os = "linux")]
#[test]
fn a_large_folder_is_read_only() {
    let Some(dir) = learner("a large folder is read-only") else { return };
    std::fs::File::create(dir.path("bots/data/large")).unwrap().set_len(70 << 20).unwrap();
    dir.write("bots/bot.sh", "read -r question; cat /data/learned data/learned >&2; echo x > /data/x || exit 1");
    let result = dir.run(&format!("match 'sh bots/bot.sh' greedy greedy greedy --turns 1 --no-replay {PATIENT}")).succeeded();
    assert!(result.stdout.contains("it exited with code 1: it wrote where it may only read\n"), "{result:?}");
    assert!(result.stdout.contains("stderr: aa"), "{result:?}");
}

/// Returns a folder with [`LEARNS`], if this machine has a sandbox in which a bot can write.
#[cfg(target_os = "linux")]
fn learner(what: &str) -> Option<TestDir> {
    let dir = TestDir::new();
    let tier = crate::common::json(&dir.run("doctor --json").stdout)["tier"].clone();
    if tier != "A" && tier != "A-" {
        eprintln!("not run: {what} (tier {tier})");
        return None;
    }
    for folder in ["bots/data", "elsewhere"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    dir.write("bots/data/learned", "a");
    dir.write("bots/bot.sh", LEARNS);
    Some(dir)
}

/// A bot that prints how its request ends, and stores an object.
const STORES_AN_OBJECT: &str = r#"read -r question; end=$(printf '%s' "$question" | sed 's/.*"data":/"data":/; s/"/\\"/g')
    echo "{\"response\":{\"action\":-1},\"debug\":\"$end\",\"data\":{\"n\":[1,null]},\"globaldata\":7.5}""#;

#[test]
fn stored_json_keeps_its_type() {
    let dir = TestDir::new();
    dir.write("bot.sh", STORES_AN_OBJECT);
    let line = "'sh bot.sh' greedy greedy greedy --seed 3 --turns 2 --globaldata kept --time-limit 60500 --memory-limit 300";
    let ends = |replay: &Value| debugs(replay, 0).iter().map(|debug| debug.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let limits = r#""time_limit":60.5,"memory_limit":300}"#;
    let first = dir.play(line);
    assert_eq!(
        ends(&first),
        [format!(r#""data":"","globaldata":"",{limits}"#), format!(r#""data":{{"n":[1,null]}},"globaldata":7.5,{limits}"#)]
    );
    assert_eq!(diagnostics(&first, 0)[0]["data"], json!({ "n": [1, null] }));
    assert_eq!(ends(&dir.play(line))[0], format!(r#""data":"","globaldata":7.5,{limits}"#));
}

#[test]
fn globaldata_of_earlier_versions_is_text() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("kept")).unwrap();
    dir.write("kept/pacman2-globaldata.md", "");
    dir.write("kept/bot.txt", "old");
    dir.write_executable("bot", &format!("#!/bin/sh\n{}", leaves("new")));
    let line = format!("bot greedy greedy greedy --turns 1 --globaldata kept {PATIENT}");
    assert_eq!([&debugs(&dir.play(&line), 0)[0], &debugs(&dir.play(&line), 0)[0]], ["old", "new"]);
}
