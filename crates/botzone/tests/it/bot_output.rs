//! Reading the output of bots.

use pacman2_botzone::JsonText;
use pacman2_botzone::response::{BotOutput, DATA_BYTES, DEBUG_BYTES, ParsedResponse, Verdict};
use pacman2_rules::{Action, Direction};
use serde_json::{Value, json};

#[test]
fn a_plain_answer() {
    let answer = read(r#"{"response": {"action": 1, "tauntText": "ha"}}"#);
    let expected = BotOutput {
        response: json!({ "action": 1, "tauntText": "ha" }).into(),
        parsed: ParsedResponse::Action { number: 1, taunt: Some("ha".to_owned()) },
        debug: None,
        data: json!("").into(),
        globaldata: None,
        cut: None,
    };
    assert_eq!(answer, expected);
}

#[test]
fn the_answer_of_the_sample_program() {
    let answer =
        read("{\"data\":\"kept\",\"debug\":1476247893,\"globaldata\":\"\",\"response\":{\"action\":-1,\"tauntText\":\"\"}}\n\n");
    let expected = BotOutput {
        response: json!({ "action": -1, "tauntText": "" }).into(),
        parsed: ParsedResponse::Action { number: -1, taunt: Some(String::new()) },
        debug: Some(json!(1_476_247_893).into()),
        data: json!("kept").into(),
        globaldata: Some(json!("").into()),
        cut: None,
    };
    assert_eq!(answer, expected);
}

#[test]
fn content_counts_where_there_is_no_response() {
    check_number(r#"{"content": {"action": 2}}"#, 2);
    check_number(r#"{"response": null, "content": {"action": 2}}"#, 2);
    check_number(r#"{"response": {"action": 1}, "content": {"action": 2}}"#, 1);
}

#[test]
fn a_response_may_be_a_string_that_holds_json() {
    let answer = read(r#"{"response": "{\"action\": 3}"}"#);
    assert_eq!(answer.response, json!("{\"action\": 3}"));
    assert_eq!(answer.parsed, ParsedResponse::Action { number: 3, taunt: None });
}

// Actions.

#[test]
fn each_number_is_an_action() {
    use Direction::{Down, Left, Right, Up};
    let actions = [
        Action::Stay,
        Action::Move(Up),
        Action::Move(Right),
        Action::Move(Down),
        Action::Move(Left),
        Action::Shoot(Up),
        Action::Shoot(Right),
        Action::Shoot(Down),
        Action::Shoot(Left),
    ];
    for (number, expected) in (-1..).zip(actions) {
        assert_eq!(check_number(&action(&number.to_string()), number).action(), expected);
    }
}

#[test]
fn any_other_whole_number_is_an_invalid_action() {
    for number in [-2, 8, -10, i32::MAX, i32::MIN] {
        assert_eq!(check_number(&action(&number.to_string()), number).action(), Action::Invalid);
    }
}

#[test]
fn a_whole_number_may_be_written_as_a_fraction() {
    check_number(&action("1.0"), 1);
    check_number(&action("10e-1"), 1);
    check_number(&action("-1.0"), -1);
    check_number(&action("-0"), 0);
}

#[test]
fn anything_but_a_whole_number_of_32_bits_is_nothing() {
    for number in ["2147483648", "-2147483649", "1.5", "1e300", "18446744073709551616", "\"1\"", "true", "null", "[1]", "{}"] {
        check_nothing(&action(number));
    }
}

#[test]
fn json_without_a_response_is_nothing() {
    for output in ["{}", "[]", "null", "1", "\"{}\"", r#"{"Response":{"action":1}}"#, r#"{"response":1}"#, r#"{"action":1}"#] {
        check_nothing(output);
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    check_number(r#"{"response": {"action": 1}, "response": {"action": 2, "action": 3}}"#, 3);
    check_nothing(r#"{"response": {"action": 1}, "response": {}}"#);
}

// Limits.

#[test]
fn taunt_cut() {
    let taunt = |text: &str| match read(&json!({ "response": { "action": 1, "tauntText": text } }).to_string()).parsed {
        ParsedResponse::Action { taunt: Some(taunt), .. } => taunt,
        other => panic!("{other:?} has no taunt"),
    };
    assert_eq!(taunt(&"x".repeat(40)), "x".repeat(40));
    assert_eq!(taunt(&"x".repeat(41)), "x".repeat(40));
    assert_eq!(taunt(&"翠柰木".repeat(9)), "翠柰木".repeat(4) + "翠");
}

#[test]
fn a_response_above_100_kilobytes_keeps_its_action() {
    let output = |bytes: usize| format!(r#"{{"response":{{"essay":"{}","action":3}}}}"#, "x".repeat(bytes));
    let around = r#"{"action":3,"essay":""}"#.len();
    assert_eq!(read(&output(DATA_BYTES - around)).response.as_str().len(), DATA_BYTES);
    let long = read(&output(DATA_BYTES - around + 1));
    assert_eq!((long.response.as_str(), long.parsed.action()), (r#"{"action":3}"#, Action::Move(Direction::Left)));
    let nothing = read(&json!({ "response": "x".repeat(DATA_BYTES) }).to_string());
    assert_eq!((nothing.response.as_str(), nothing.parsed), ("null", ParsedResponse::Nothing(Verdict::Ok)));
}

#[test]
fn the_response_is_kept_whole() {
    let response = json!({ "action": 1, "tauntText": "x".repeat(100) });
    assert_eq!(read(&json!({ "response": response }).to_string()).response, response);
}

#[test]
fn debug_is_cut_to_a_kilobyte() {
    let debug = |debug: Value| {
        read(&json!({ "response": { "action": 1 }, "debug": debug }).to_string()).debug.map(|debug| debug.to_value())
    };
    let full = "x".repeat(DEBUG_BYTES);
    assert_eq!(debug(json!(full)), Some(json!(full)));
    assert_eq!(debug(json!(full.clone() + "x")), Some(json!(full)));
    assert_eq!(debug(json!("木".repeat(DEBUG_BYTES))), Some(json!("木".repeat(DEBUG_BYTES / 3))));
}

#[test]
fn debug_may_be_any_json() {
    let debug = |debug: Value| {
        read(&json!({ "response": { "action": 1 }, "debug": debug }).to_string()).debug.map(|debug| debug.to_value())
    };
    let tree = json!({ "depth": 3, "best": [1, 2.5, null] });
    assert_eq!(debug(tree.clone()), Some(tree));
    assert_eq!(debug(json!(null)), None);
    // If it is too long, it becomes the start of its text.
    let long = json!(vec![10; DEBUG_BYTES]);
    assert_eq!(debug(long.clone()), Some(json!(long.to_string()[..DEBUG_BYTES])));
}

#[test]
fn data_are_cut_to_100_kilobytes() {
    let long = "木".repeat(DATA_BYTES);
    let answer = read(&json!({ "response": { "action": 1 }, "data": long, "globaldata": long }).to_string());
    let cut = "木".repeat(DATA_BYTES / 3);
    let cut = JsonText::from(json!(cut));
    assert!(answer.data == cut && answer.globaldata == Some(cut));
    assert_eq!(answer.cut, Some("data"));
    let just = read(&json!({ "response": { "action": 1 }, "globaldata": "\n".repeat(DATA_BYTES) }).to_string());
    assert_eq!(just.cut, None, "escapes do not count");
}

#[test]
fn data_keep_their_type() {
    let answer = read(r#"{"response": {"action": 1}, "data": {"a": [1]}, "globaldata": 5}"#);
    assert_eq!((answer.data, answer.globaldata), (json!({ "a": [1] }).into(), Some(json!(5).into())));
    // What is too long becomes the start of its text.
    let long = json!(vec![10; DATA_BYTES]);
    let answer = read(&json!({ "response": { "action": 1 }, "data": long }).to_string());
    assert_eq!((answer.data, answer.cut), (json!(long.to_string()[..DATA_BYTES]).into(), Some("data")));
    let answer = read(r#"{"response": {"action": 1}, "data": null, "globaldata": null}"#);
    assert_eq!((answer.data, answer.globaldata), (json!("").into(), None));
}

// Odd bytes.

#[test]
fn white_space_around_an_answer_does_not_matter() {
    check_number(&format!("\r\n\t {}\r\n\r\n", action("1")), 1);
}

#[test]
fn empty_output_is_not_json() {
    for output in ["", " ", "\n\r\n"] {
        check_not_json(output.as_bytes(), "not JSON: no answer");
    }
}

#[test]
fn text_is_not_json() {
    check_not_json(b"thinking...", "not JSON: expected ident at line 1 column 2");
    check_not_json(b"{\"response\":", "not JSON: EOF while parsing a value at line 1 column 12");
    check_not_json(b"{'response': {'action': 1}}", "not JSON: key must be a string at line 1 column 2");
}

#[test]
fn nothing_may_follow_an_answer() {
    let two = action("1") + "\n" + &action("2");
    check_not_json(two.as_bytes(), "not JSON: trailing characters at line 2 column 1");
    let chatty = action("1") + " done";
    check_not_json(chatty.as_bytes(), "not JSON: trailing characters at line 1 column 27");
}

#[test]
fn a_byte_order_mark_is_not_json() {
    // JavaScript's parser, which is Botzone's, rejects it as well.
    check_not_json(format!("\u{feff}{}", action("1")).as_bytes(), "not JSON: expected value at line 1 column 1");
}

#[test]
fn a_nul_is_not_json() {
    let message = "not JSON: trailing characters at line 1 column 26";
    check_not_json(format!("{}\0", action("1")).as_bytes(), message);
    assert!(BotOutput::read(b"{\"response\":{\"action\":1,\"tauntText\":\"\0\"}}").is_err());
}

#[test]
fn bytes_that_are_not_utf_8_are_replaced() {
    let answer =
        BotOutput::read(b"{\"response\":{\"action\":1,\"tauntText\":\"ha\xff\xc4\xe3\"}}").expect("it is JSON all the same");
    assert_eq!(answer.parsed, ParsedResponse::Action { number: 1, taunt: Some("ha\u{fffd}\u{fffd}\u{fffd}".to_owned()) });
}

#[test]
fn not_a_number_is_not_json() {
    for number in ["NaN", "Infinity", "-Infinity", "01", "+1", ".5", "0x1"] {
        assert!(BotOutput::read(action(number).as_bytes()).is_err(), "{number}");
    }
}

#[test]
fn endless_nesting_is_not_json() {
    for open in ["[", "{\"a\":"] {
        let message = BotOutput::read(open.repeat(100_000).as_bytes()).expect_err("too deep").to_string();
        assert!(message.starts_with("not JSON: recursion limit exceeded"), "{message}");
    }
    // The same in a response that is a string: the output is JSON, but has no action.
    check_nothing(&json!({ "response": "[".repeat(100_000) }).to_string());
}

#[test]
fn a_number_of_a_million_digits_is_rounded() {
    // JavaScript rounds it to infinity, which is no action.
    let digits = "9".repeat(1_000_000);
    check_nothing(&action(&digits));
    check_number(&json!({ "response": { "action": 2 } }).to_string().replace('}', &format!(",\"x\":{digits}}}")), 2);
    check_number(&action(&format!("1.{digits}")), 2);
    check_number(&action(&format!("0.{}1", "0".repeat(1_000_000))), 0);
}

#[test]
fn a_megabyte_of_debug_is_accepted() {
    let answer = read(&json!({ "response": { "action": 1 }, "debug": vec![0; 500_000] }).to_string());
    assert_eq!(answer.parsed, ParsedResponse::Action { number: 1, taunt: None });
}

// Verdicts.

#[test]
fn verdicts_have_botzones_names() {
    let names = Verdict::OF_RUNS.map(Verdict::name);
    assert_eq!(names, ["OK", "TLE", "MLE", "OLE", "NJ", "RE"]);
    assert_eq!(names.map(str::parse), Verdict::OF_RUNS.map(Ok));
    assert!(Verdict::OF_RUNS.iter().all(Verdict::is_of_run) && !Verdict::Illegal.is_of_run());
    assert_eq!(
        "ok".parse::<Verdict>().unwrap_err().to_string(),
        "unknown verdict \"ok\"; expected OK, TLE, MLE, OLE, NJ, RE or ILLEGAL"
    );
}

#[test]
fn an_illegal_action_is_a_fault_of_the_turn() {
    let names = Verdict::FAULTS.map(Verdict::name);
    assert_eq!(names, ["TLE", "MLE", "OLE", "NJ", "RE", "ILLEGAL"]);
    assert_eq!(names.map(str::parse), Verdict::FAULTS.map(Ok));
    assert!(Verdict::FAULTS.iter().all(Verdict::is_fault) && !Verdict::Ok.is_fault());
    assert_eq!(serde_json::to_value(Verdict::FAULTS).unwrap(), json!(names));
}

#[test]
fn a_bot_that_was_stopped_has_no_action() {
    let parsed = ParsedResponse::from_response(&json!({ "action": 1 }), Verdict::Tle);
    assert_eq!((parsed.action(), parsed), (Action::Invalid, ParsedResponse::Nothing(Verdict::Tle)));
}

fn action(number: &str) -> String {
    format!("{{\"response\":{{\"action\":{number}}}}}")
}

#[track_caller]
fn read(output: &str) -> BotOutput {
    BotOutput::read(output.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn check_number(output: &str, number: i32) -> ParsedResponse {
    let parsed = read(output).parsed;
    assert_eq!(parsed, ParsedResponse::Action { number, taunt: None });
    parsed
}

/// Checks that the output is JSON without an action.
#[track_caller]
fn check_nothing(output: &str) {
    assert_eq!(read(output).parsed, ParsedResponse::Nothing(Verdict::Ok));
}

#[track_caller]
fn check_not_json(output: &[u8], message: &str) {
    assert_eq!(BotOutput::read(output).expect_err("this is not JSON").to_string(), message);
}
