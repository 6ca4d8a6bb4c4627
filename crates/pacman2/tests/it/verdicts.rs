//! Verdicts: every fault of a bot is distinguished on the screen, in JSON and in the replay, with details for its author.

use crate::common::{FIELD, RunResult, TestDir, diagnostics, has, init_data, turns, verdicts};
use serde_json::{Value, json};

/// A match of a shell bot on seat 0 with built-in bots.
struct Case {
    screen: RunResult,
    summary: Value,
    replay: Value,
}

impl Case {
    /// Plays it twice: with text and with JSON output.
    #[track_caller]
    fn play(script: &str, options: &str) -> Case {
        let dir = TestDir::new();
        dir.write("bot.sh", script);
        dir.write("map.json", &init_data(FIELD).to_string());
        let line = format!("match 'sh bot.sh' greedy greedy greedy --map map.json --turns 2 --replay r.json {options}");
        let summary = dir.run(&format!("{line} --json")).succeeded().json();
        let screen = dir.run(&line).succeeded();
        let replay = dir.replay("r.json");
        for seat in 1..4 {
            assert_eq!(verdicts(&replay, seat), ["OK", "OK"], "the others");
        }
        dir.run("replay verify r.json").succeeded();
        Case { screen, summary, replay }
    }

    /// Checks in all three places that the bot forfeits in the first turn with this verdict and this complaint.
    #[track_caller]
    fn forfeits(&self, verdict: &str, complaint: &str) {
        let on_screen = if verdict == "ILLEGAL" { "illegal action" } else { verdict };
        let fault = format!("0 (sh bot.sh), turn 1, {on_screen}: ");
        let message = self.screen.stdout.lines().find_map(|line| line.strip_prefix(&fault));
        assert!(message.is_some_and(|message| message.contains(complaint)), "{:#?}", self.screen);
        assert!(self.screen.stdout.contains(&format!("  {on_screen} 1\n")), "{:#?}", self.screen);
        let died = self.screen.stdout.lines().find(|line| line.contains("0 (sh bot.sh) dies: "));
        assert!(died.is_some_and(|line| line.contains(complaint)), "{:#?}", self.screen);

        let seat = &self.summary["seats"][0];
        assert_eq!(seat["last_verdict"], verdict);
        assert!(seat["fault"].as_str().is_some_and(|fault| fault.contains(complaint)), "{seat}");

        assert_eq!(verdicts(&self.replay, 0), [verdict]);
        assert!(turns(&self.replay)[1]["actions"][0].is_null());
        let [author] = diagnostics(&self.replay, 0)[..] else { panic!("{}", self.replay["private"]) };
        assert!(author["complaint"].as_str().is_some_and(|message| message.contains(complaint)), "{author}");
    }

    fn action(&self) -> &Value {
        &turns(&self.replay)[0]["actions"][0]
    }

    fn author(&self) -> &Value {
        diagnostics(&self.replay, 0)[0]
    }
}

/// A time limit that only a bot that hangs exceeds.
const PATIENT: &str = "--time-limit 60000";

#[test]
fn ok() {
    let case = Case::play(r#"read -r question; echo '{"response":{"action":-1},"debug":{"plan":[1,2]}}'"#, PATIENT);
    assert_eq!((verdicts(&case.replay, 0), case.action()), (vec!["OK", "OK"], &json!(-1)));
    assert!(case.screen.stdout.contains("  OK 2\n"), "{:#?}", case.screen);
    let seat = &case.summary["seats"][0];
    assert_eq!((&seat["last_verdict"], &seat["fault"]), (&json!("OK"), &Value::Null));
    let author = case.author();
    assert_eq!((&author["debug"], author["output_bytes"].as_u64()), (&json!({ "plan": [1, 2] }), Some(50)));
    assert!(author["wall_us"].as_u64().unwrap() > 0);
    assert_eq!(author["output"], "{\"response\":{\"action\":-1},\"debug\":{\"plan\":[1,2]}}\n");
    assert!(["complaint", "response", "data"].iter().all(|&key| author.get(key).is_none()), "{author}");
}

#[test]
fn tle() {
    let case = Case::play("echo thinking; sleep MARK", "--time-limit 400");
    case.forfeits("TLE", "no answer within 400 ms");
    assert_eq!((case.action(), &case.author()["output"]), (&json!(-10), &json!("thinking\n")));
    assert!(case.author()["wall_us"].as_u64().unwrap() >= 400_000);
}

#[test]
fn mle() {
    let case = Case::play("exec dd if=/dev/zero of=/dev/null bs=419430400 count=1", PATIENT);
    case.forfeits("MLE", "more than 256 MB of memory");
    assert!(case.author()["memory_bytes"].as_u64().unwrap() > 256 * 1024 * 1024);
}

#[test]
fn ole() {
    let case = Case::play("head -c 2000000 /dev/zero", PATIENT);
    case.forfeits("OLE", "more than 1048576 bytes of output");
    assert_eq!(case.author()["output"].as_str().map(str::len), Some(1024), "it is kept, but not all of it");
}

#[test]
fn nj() {
    let case = Case::play("read -r question; echo 'I go left!'; echo 'why not' >&2", PATIENT);
    case.forfeits("NJ", "not JSON");
    assert_eq!((&case.author()["output"], &case.author()["stderr"]), (&json!("I go left!\n"), &json!("why not\n")));
    assert!(case.screen.stdout.contains("\n  output: I go left!\n  stderr: why not\n"), "{:#?}", case.screen);
}

#[test]
fn re_with_an_exit_code() {
    let case = Case::play(r#"echo '{"response":{"action":-1}}'; echo 'out of ideas' >&2; exit 3"#, PATIENT);
    case.forfeits("RE", "it exited with code 3");
    assert!(case.screen.stdout.contains("\n  stderr: out of ideas\n"), "{:#?}", case.screen);
}

#[test]
fn re_if_it_cannot_start() {
    let dir = TestDir::new();
    dir.write_executable("bot", "#!/no/such/interpreter\n");
    let summary = dir.run("match ./bot greedy greedy greedy --turns 1 --json").succeeded().json();
    assert_eq!(summary["seats"][0]["last_verdict"], "RE");
    assert!(summary["seats"][0]["fault"].as_str().unwrap().starts_with("cannot start ./bot: "), "{summary}");
}

#[test]
fn re_if_it_asks_to_keep_running_and_exits() {
    let dir = TestDir::new();
    let script = r#"read -r q; echo '{"response":{"action":-1}}'; echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'; exit 7"#;
    dir.write("bot.sh", script);
    let replay = dir.play(&format!("'sh bot.sh' greedy greedy greedy --seed 3 --turns 3 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK", "RE"]);
    let complaint = diagnostics(&replay, 0)[1]["complaint"].as_str().unwrap();
    assert!(complaint.starts_with("it exited with code 7: it had asked to keep running, and ended; "), "{complaint}");
}

/// Their verdict on Botzone is OK.
#[test]
fn illegal_actions() {
    for (answer, action, complaint) in [
        (r#"{"response":{"action":0}}"#, 0, "it cannot go up: a wall is there"),
        ("[]", -10, "no response with a whole number as action"),
    ] {
        let case = Case::play(&format!("read -r question; echo '{answer}'"), PATIENT);
        case.forfeits("ILLEGAL", complaint);
        assert_eq!((case.action(), &case.author()["output"]), (&json!(action), &json!(format!("{answer}\n"))));
    }
}

// The output of bots is bounded and harmless.

#[test]
fn stderr_is_bounded() {
    let script = r#"yes 'all work and no play' | head -n 50000 >&2; echo 'the last line' >&2; echo 'no JSON'"#;
    let case = Case::play(script, PATIENT);
    case.forfeits("NJ", "not JSON");
    let author = case.author();
    let (start, rest) = author["stderr"].as_str().unwrap().split_once(" … ").unwrap();
    let (number, end) = rest.split_once(" bytes left out … ").unwrap();
    assert_eq!((start.len(), end.len(), number), (32 * 1024, 32 * 1024, "984478"));
    assert!(start.starts_with("all work and no play\n") && end.ends_with("play\nthe last line\n"));
    // Its end is shown.
    assert_eq!(case.screen.stdout.matches("  stderr: all work and no play\n").count(), 9);
    assert!(case.screen.stdout.contains("  stderr: … see the replay for what was before\n"), "{:#?}", case.screen);
    assert!(case.screen.stdout.contains("  stderr: the last line\n"), "{:#?}", case.screen);
}

#[test]
fn debug_is_bounded() {
    let script = r#"printf '{"response":{"action":-1},"debug":"'; head -c 5000 /dev/zero | tr '\0' d; echo '"}'"#;
    let case = Case::play(script, PATIENT);
    assert_eq!(case.author()["debug"].as_str().map(str::len), Some(1024));
}

/// Control sequences: set the title, clear the screen (in two ways), right-to-left text, carriage return.
const ESCAPES: &str = r"\033]0;owned\007\033[2J\302\2332J\342\200\256\r";

/// Checks that none of these sequences arrives. Our own colours and cursor movements are allowed.
#[track_caller]
fn check_harmless(screen: &str) {
    for escape in ["\x1b]", "\x07", "\x1b[2J", "\u{9b}", "\u{202e}"] {
        assert!(!screen.contains(escape), "{escape:?} is in {screen:?}");
    }
}

#[test]
fn stderr_and_output_with_escape_sequences_are_harmless() {
    let script = format!("printf '{ESCAPES}out\n'; printf '{ESCAPES}err\n' >&2");
    let case = Case::play(&script, PATIENT);
    case.forfeits("NJ", "not JSON");
    let screen = &case.screen.stdout;
    check_harmless(screen);
    assert!(!screen.contains('\x1b') && !screen.contains('\r'), "{screen:?}");
    assert!(screen.contains("out\n") && screen.contains("err\n"), "{screen:?}");
    assert!(case.author()["stderr"].as_str().unwrap().contains("\x1b]0;owned\x07"), "the replay keeps it as it was");
}

#[test]
fn taunts_with_escape_sequences_are_harmless() {
    let dir = TestDir::new();
    let taunt = r"\\u001b]0;owned\\u0007\\u001b[2J\\u009b2J\\u202ehi";
    dir.write("bot.sh", &format!(r#"read -r q; printf '{{"response":{{"action":-1,"tauntText":"{taunt}"}}}}\n'"#));
    let line = format!("match 'sh bot.sh' greedy greedy greedy --seed 3 --turns 2 --pace 0 --replay r.json {PATIENT}");
    let plain = dir.run(&line).succeeded();
    check_harmless(&plain.stdout);
    assert_eq!(turns(&dir.replay("r.json"))[0]["taunts"][0], "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{202e}hi");
    let Some(screen) = crate::common::on_terminal(&dir, 40, 120, &line) else { return };
    check_harmless(&screen);
    assert!(screen.contains("hi\""), "the taunt is shown: {screen:?}");
}

#[test]
fn escape_sequences_in_the_name_of_a_bot_are_harmless() {
    let dir = TestDir::new();
    let name = "bot\u{1b}[2J\u{9b}2J.sh";
    dir.write(name, "echo no");
    let result = dir.run(&format!("match 'sh \"{name}\"' greedy greedy greedy --seed 3 --turns 1 {PATIENT}")).succeeded();
    check_harmless(&result.stdout);
    assert!(!result.stdout.contains('\x1b'));
}

#[test]
fn compiler_messages_with_escape_sequences_are_harmless() {
    if !has("g++", "a C++ source with escapes that does not compile") {
        return;
    }
    let dir = TestDir::new();
    dir.write("bot.cpp", "int main() { \u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J }\n");
    let result = dir.run("match bot.cpp greedy greedy greedy");
    assert_eq!(result.code, Some(2), "{result:?}");
    check_harmless(&result.stderr);
}

#[test]
fn the_cause_of_a_fault_is_named_everywhere() {
    let case = Case::play(r#"read -r question; echo '{"action":-1}'"#, PATIENT);
    case.forfeits("ILLEGAL", "with a whole number as action: its \"action\" is not in a \"response\"");
    assert!(case.screen.stdout.contains("\n  write {\"response\": {\"action\": …}}\n"), "{:#?}", case.screen);
    assert_eq!(case.author()["problem"]["params"]["cause"]["code"], "cause-bare-response");
}

#[test]
fn a_bot_on_several_seats_is_explained_once() {
    let dir = TestDir::new();
    dir.write("bot.sh", "exit 3");
    let result = dir.run("match 'sh bot.sh' 'sh bot.sh' greedy 'sh bot.sh' --turns 1 --no-replay").succeeded();
    assert_eq!(result.stdout.matches(", turn 1, RE: it exited with code 3").count(), 1, "{result:?}");
    assert!(result.stdout.contains("\n0, 1, 3 (sh bot.sh), turn 1, RE: "), "{result:?}");
}

#[test]
fn what_is_odd_about_answers_that_count_is_noted_once() {
    let dir = TestDir::new();
    dir.write(
        "bot.sh",
        r#"read -r question; printf '{"response":{"action":-1},"data":"'; head -c 200000 /dev/zero | tr '\0' d; echo '"}'"#,
    );
    let options = format!("--turns 3 --replay r.json {PATIENT}");
    let result = dir.run(&format!("match 'sh bot.sh' 'sh bot.sh' greedy greedy {options}")).succeeded();
    let note = "\nNote: sh bot.sh: its \"data\" has more than 102400 bytes and was cut; store less";
    assert_eq!(result.stdout.matches(note).count(), 1, "{result:?}");
    let replay = dir.replay("r.json");
    assert_eq!(verdicts(&replay, 0), ["OK", "OK", "OK"]);
    assert_eq!(diagnostics(&replay, 0)[0]["problem"]["code"], "cause-data-cut");
}

#[cfg(unix)]
#[test]
fn a_script_with_line_ends_of_windows_is_explained() {
    let dir = TestDir::new();
    for interpreter in ["/bin/sh", "/usr/bin/env sh"] {
        dir.write_executable("bot", &format!("#!{interpreter}\r\nread -r question\r\n"));
        let result = dir.run("match ./bot greedy greedy greedy --turns 1 --no-replay").succeeded();
        assert!(result.stdout.contains("the first line of its file ends with CR LF"), "{result:?}");
        assert!(!result.stderr.contains("can read its own file"), "{result:?}");
        let report = dir.run("check ./bot");
        assert!(report.stdout.contains("ends with CR LF") && report.stdout.contains("  Save the file with LF"), "{report:?}");
    }
}
