//! Games in all the forms in which people keep them, and in files made to do harm.

use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use pacman2_replay::Replay;
use pacman2_replay::games::{self, BadGame, FoundGame, GameForm, Games, Remark};
use pacman2_rules::Seat;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A match of six turns, as a line of a pack from Botzone.
const MATCH: &str = include_str!("fixtures/match.json");
/// What a bot read in turn 5 of it.
const INPUT: &str = include_str!("fixtures/input.json");
const SCORES: [f64; 4] = [52.43, 52.43, 52.43, 12.7];

fn found(bytes: impl AsRef<[u8]>) -> Vec<Result<FoundGame, BadGame>> {
    Games::new(Cursor::new(bytes.as_ref().to_vec()), None).collect()
}

/// Checks that this is the match, and nothing else.
#[track_caller]
fn check_match(bytes: impl AsRef<[u8]>) -> FoundGame {
    let mut games = found(bytes);
    assert_eq!(games.len(), 1, "{games:?}");
    let game = games.remove(0).unwrap();
    assert_eq!((game.replay.verify().unwrap().len(), game.replay.public.scores), (6, Some(SCORES)));
    game
}

/// Writes what became of each game: its id, or why it cannot be read.
fn outline(bytes: impl AsRef<[u8]>) -> Vec<String> {
    let line = |game: Result<FoundGame, BadGame>| match game {
        Ok(game) => format!("{} {}", game.place, game.id.unwrap_or_default()),
        Err(bad) => bad.to_string(),
    };
    found(bytes).into_iter().map(line).collect()
}

fn value() -> Value {
    serde_json::from_str(MATCH).unwrap()
}

fn list() -> Value {
    value()["log"].clone()
}

/// The log with the displays of the judge as texts.
fn with_texts() -> Value {
    let mut list = list();
    for item in list.as_array_mut().unwrap() {
        if let Some(display) = item["output"].get_mut("display") {
            *display = display.to_string().into();
        }
    }
    list
}

/// A match with another id.
fn numbered(id: usize) -> String {
    let mut value = value();
    value["_id"] = format!("m{id}").into();
    value.to_string()
}

// One game.

#[test]
fn a_log_in_each_form() {
    let outputs_as_texts: Value = list()
        .as_array()
        .unwrap()
        .iter()
        .map(|item| match item.get("output") {
            Some(output) => json!({ "output": output.to_string() }),
            None => item.clone(),
        })
        .collect();
    for form in [
        value(),
        list(),
        json!({ "log": list() }),
        json!({ "logs": list() }),
        json!({ "log": list().to_string() }),
        json!({ "logs": with_texts(), "initdata": "" }),
        with_texts(),
        outputs_as_texts,
        json!({ "success": true, "data": { "match": value() } }),
        json!({ "match": list().to_string() }),
        Value::String(list().to_string()),
    ] {
        assert_eq!(check_match(form.to_string()).form, GameForm::MatchLog);
        check_match(serde_json::to_string_pretty(&form).unwrap().replace('\n', "\r\n"));
    }
}

#[test]
fn a_log_in_each_encoding() {
    let text = serde_json::to_string_pretty(&list()).unwrap();
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<_>>();
    check_match(format!("\u{feff}{text}"));
    check_match(format!("\r\n\n{}\r\n\r\n", list()));
    for marked in [format!("\u{feff}{text}"), text] {
        check_match(utf16(&marked, u16::to_le_bytes));
        check_match(utf16(&marked, u16::to_be_bytes));
    }
    assert_eq!(outline([0xff; 9]), ["expected text in UTF-8 or UTF-16"]);
    assert_eq!(outline(b"\xff\xfe{"), ["expected text in UTF-8 or UTF-16"]);
}

#[test]
fn a_log_in_a_page() {
    let (log, in_string) = (list().to_string(), serde_json::to_string(&list().to_string()).unwrap());
    let replay = check_match(MATCH).replay.write();
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    for body in [
        format!("<script>var _log = {in_string}; var players = [\"a\", \"b\"];</script>"),
        format!(
            "<script>var a = '[1', b = {{c: 1}}; show(JSON.parse('{}'))</script>",
            log.replace('\\', "\\\\").replace('\'', "\\'")
        ),
        format!("<script>let log = {}</script>", in_string.replace("\\\"", "\\u0022").replace('<', "\\x3c")),
        format!("<script>window.state = {{\"match\": {log}}};</script>"),
        format!("<script>window.match = {MATCH};</script>"),
        format!("<script>let log = {log};</script>"),
        format!("<div data-log=\"{}\"></div>", escaped(&log)),
        format!("<pre>{}</pre>", escaped(MATCH).replace("&quot;", "&#34;")),
        format!("<script type=\"application/json\" id=\"replay-data\">{}</script>", replay.replace('<', "\\u003c")),
    ] {
        let page = format!("<!DOCTYPE html>\n<html><head><title>it's a match</title></head><body>{body}</body></html>\n");
        check_match(&page);
        check_match(page.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    }
    check_match(format!("var log = {log};\n"));
    check_match(format!("the match: {MATCH}"));
    let empty = "expected a page with a match in it, got one without; save the page of a match, or its log";
    assert_eq!(outline("<html><script>var a = {\"output\": \"a long text without a match in it\"}</script></html>"), [empty]);
}

#[test]
fn a_page_in_another_encoding() {
    let mut page = format!("<html><title>???</title><script>var log = {}</script>", list()).into_bytes();
    page[13..16].copy_from_slice(b"\xb6\xd4\xbe");
    check_match(page);
}

#[test]
fn a_saved_input_ends_with_the_last_turn_that_the_bot_knew() {
    let game = found(INPUT).remove(0).unwrap();
    assert_eq!((game.form, &game.remarks[..]), (GameForm::SavedInput(Seat::S1), &[][..]));
    assert_eq!((game.replay.verify().unwrap().len(), game.replay.public.scores), (4, None));
    let whole = check_match(MATCH).replay;
    assert_eq!(game.replay.public.turns[..], whole.public.turns[..4]);

    let mut in_texts: Value = serde_json::from_str(INPUT).unwrap();
    for list in ["requests", "responses"] {
        in_texts[list] = in_texts[list].to_string().into();
    }
    assert_eq!(found(in_texts.to_string()).remove(0).unwrap().replay.public, game.replay.public);

    let broken = INPUT.replace("\"data\":\"\"", "\"data\":\"one\ntwo\r\n\"");
    let pasted = found(broken).remove(0).unwrap();
    assert_eq!((&pasted.remarks[..], pasted.replay.public), (&[Remark::RawLineBreaks][..], game.replay.public));
}

/// A pack of inputs is a pack, even so.
#[test]
fn a_bot_that_keeps_running_reads_a_request_in_each_line() {
    let whole: Value = serde_json::from_str(INPUT).unwrap();
    let requests = whole["requests"].as_array().unwrap();
    let mut first = whole.clone();
    (first["requests"], first["responses"]) = (json!(requests[..1]), json!([]));
    for wrapped in [false, true] {
        let line = |request: &Value| if wrapped { json!({ "requests": [request] }).to_string() } else { request.to_string() };
        let later = requests[1..].iter().map(line);
        let text = std::iter::once(first.to_string()).chain(later).collect::<Vec<_>>().join("\r\n");
        let games = found(text);
        assert_eq!(games.len(), 1, "{games:?}");
        let game = games[0].as_ref().unwrap();
        assert_eq!((game.form, game.replay.verify().unwrap().len()), (GameForm::SavedInput(Seat::S1), 4));
    }
    assert_eq!(outline([INPUT.trim_end(); 3].join("\n")), ["line 1 ", "line 2 ", "line 3 "]);
}

#[test]
fn a_saved_input_that_is_incomplete() {
    let mut input: Value = serde_json::from_str(INPUT).unwrap();
    input["requests"][3]["2"] = Value::Null;
    let no_action = "turn 3: player 2 is alive, but has no action in the request after the turn";
    assert_eq!(outline(input.to_string()), [no_action]);
    input["requests"][0]["id"] = json!(4);
    assert_eq!(outline(input.to_string()), ["the first request has no seat: expected an id from 0 to 3, got 4"]);
}

#[test]
fn init_data_and_links_are_games() {
    let map = found(r#"{"seed": 4294967295, "colour": 1}"#).remove(0).unwrap();
    assert_eq!((map.form, map.replay.public.map.seed, map.remarks.len()), (GameForm::InitData, -1, 1));
    let link = check_match(MATCH).replay.to_link().unwrap();
    assert_eq!(check_match(format!("https://example.org/#g={link}&turn=3\n")).form, GameForm::Link(Some(3)));
}

#[test]
fn json_is_read_as_from_a_file() {
    assert_eq!(games::from_json(&list()).unwrap().public.scores, Some(SCORES));
    assert!(games::from_json(&json!([1])).is_err());
}

// Packs.

#[test]
fn a_pack_has_a_game_in_each_line() {
    let pack = [&numbered(1), "", "{\"log\": [{}]}", "hello", &numbered(2), INPUT.trim_end()].join("\r\n");
    let got = outline(&pack);
    assert!(got[1].starts_with("line 3: expected a match log with the map of the match, "), "{got:?}");
    let others = [&got[0], &got[2], &got[3], &got[4]];
    assert_eq!(others, ["line 1 m1", "line 4: not JSON: expected value at line 1 column 1", "line 5 m2", "line 6 "]);
    assert_eq!(outline(pack.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()), got);
}

#[test]
fn the_first_line_of_a_pack_may_be_damaged() {
    let pack = [&numbered(1)[..99], &numbered(2), &numbered(3)].join("\n");
    assert_eq!(outline(pack)[1..], ["line 2 m2", "line 3 m3"]);
}

#[test]
fn a_pack_may_be_a_list() {
    let text = format!("[{},\n{}\n]", numbered(1), numbered(2));
    assert_eq!(outline(text), ["item 1 m1", "item 2 m2"]);
}

fn pretty(text: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<Value>(text).unwrap()).unwrap()
}

#[test]
fn matches_may_follow_each_other_in_any_layout() {
    let [one, two] = [1, 2].map(numbered);
    let [pretty_one, pretty_two] = [&one, &two].map(|text| pretty(text));
    for text in [
        format!("{one}{two}"),
        format!("\n {one} {two}\r\n"),
        format!("{one},{two},"),
        format!("{pretty_one}\n{pretty_two}\n"),
        format!("\u{feff}{pretty_one}\n\u{feff}{pretty_two}"),
        format!("{pretty_one},\r\n{two},\r\n"),
        format!("[{pretty_one}\n,{two}]"),
        format!("[\n{one},\n{two}\n]\n"),
        format!("{{\"matches\": [\n{one},\n{two}\n]}}\n"),
        format!("\u{1e}{one}\n\u{1e}{two}\n"),
    ] {
        assert_eq!(outline(&text), ["item 1 m1", "item 2 m2"], "{}", &text[..40]);
        assert_eq!(outline(format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).len(), 2);
    }
    let logs = pretty(&list().to_string()) + "\n" + &pretty(&list().to_string());
    assert_eq!(outline(logs), ["item 1 ", "item 2 "]);
    let lists = format!("{{\"matches\": [{one}]}}\n{{\"matches\": [{two}, {one}]}}\n");
    assert_eq!(outline(lists), ["line 1, item 1 m1", "line 2, item 1 m2", "line 2, item 2 m1"]);
    for text in
        [format!("{{\"m1\": {one}, \"m2\": {two}}}"), format!("{{\"data\": [{{\"match\": {one}}}, {{\"match\": {two}}}]}}")]
    {
        assert_eq!(outline(text).len(), 2);
    }
    // Two packs, of which the first does not end its last line.
    assert_eq!(
        outline(format!("{one}\n{two}{one}\n{two}\n")),
        ["line 1 m1", "line 2, item 1 m2", "line 2, item 2 m1", "line 3 m2"]
    );
}

#[test]
fn a_damaged_match_ends_where_the_next_one_begins() {
    let [one, two, three] = [1, 2, 3].map(numbered);
    let in_string = two.find("stay").unwrap_or(two.len() / 2);
    for cut in [1, 2, two.len() / 3, in_string, two.len() - 1] {
        for (between, layout) in [("", str::to_owned as fn(&str) -> String), ("\n", pretty)] {
            let damaged = layout(&two);
            let text = [layout(&one), damaged[..cut].to_owned(), layout(&three)].join(between);
            let got = outline(&text);
            assert!(matches!(&got[..], [first, _, last] if first == "item 1 m1" && last == "item 3 m3"), "{cut}: {got:?}");
        }
    }
    let got = outline(format!("{}\nhello\nyou\n{}", pretty(&one), pretty(&two)));
    assert_eq!(got, ["item 1 m1", "item 2: not JSON: expected value at line 1 column 1", "item 3 m2"]);
    let cut = outline(format!("[{one},\n{}", &two[..two.len() - 9]));
    assert!(cut[0] == "item 1 m1" && cut[1].starts_with("item 2: expected a whole match, got a text that is cut off"), "{cut:?}");
}

#[test]
fn a_list_may_be_within_other_json_and_have_damaged_matches() {
    let damaged = r#"{"_id":"m0","log":"[{\"output\":"}"#;
    let list = format!("[{damaged},{},{damaged},{}]", numbered(1), numbered(2));
    let unknown = "expected a replay, a match log of Botzone's, a bot's input, init data, or a link with a game";
    for text in [list.clone(), format!("{{\"total\":4,\"matches\":{list}}}"), format!("{{\"data\":{{\"matches\":{list}}}}}")] {
        assert_eq!(outline(text), [&format!("item 1: {unknown}"), "item 2 m1", &format!("item 3: {unknown}"), "item 4 m2"]);
    }
}

#[test]
fn a_match_of_another_game_is_named() {
    let other = json!({ "game": { "name": "Tetris" }, "log": [{ "output": { "display": {} } }] }).to_string();
    let without_map = json!({ "log": [{ "output": { "display": {} } }] }).to_string();
    let got = outline([&numbered(1), &other, &without_map].map(String::as_str).join("\n"));
    assert_eq!(got[..2], ["line 1 m1", "line 2: expected a match of Pacman2, got one of Tetris"]);
    let no_map =
        "line 3: expected a match log with the map of the match, its init data, in the first output or in initdata; got none";
    assert_eq!(got[2], no_map);
    for game in [json!("pacman2"), json!({ "name": "Pacman2" }), json!("0123456789abcdef01234567")] {
        let mut value = value();
        value["game"] = game;
        check_match(value.to_string());
    }
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_zip_has_packs() {
    let pack = [numbered(1), numbered(2)].join("\n");
    let inner = zipped(&[("1.matches", pack.as_bytes())]);
    let zip = zipped(&[
        ("../../1-2.matches", pack.as_bytes()),
        ("folder/", b""),
        ("__MACOSX/._1-2.matches", b"hello"),
        ("folder/README.txt", b"hello"),
        ("notes.md", b"hello"),
        ("inner.zip", &inner),
        ("folder/one.json", MATCH.as_bytes()),
        ("folder/page.html", format!("<p>{MATCH}").as_bytes()),
    ]);
    assert_eq!(
        outline(zip),
        [
            "../../1-2.matches, line 1 m1",
            "../../1-2.matches, line 2 m2",
            "inner.zip: expected matches, got a zip within the zip; unpack the outer one first",
            "folder/one.json 000000000000000000000000",
            "folder/page.html 000000000000000000000000",
        ]
    );
    assert_eq!(outline(zipped(&[])), ["expected a zip with files of matches, got one without files"]);
}

#[test]
fn files_of_other_programs_are_named() {
    assert_eq!(outline(b"\x1f\x8b\x08\0"), ["expected text or a zip, got a file packed as gzip; unpack it, or pack it as a zip"]);
    assert_eq!(outline(b"Rar!\x1a\x07"), ["expected text or a zip, got a file packed as RAR; unpack it, or pack it as a zip"]);
    let page = "From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\"\r\n";
    let web_archive = "expected a page in HTML, got a web archive (MHTML); save the page as \"HTML only\", or its log";
    assert_eq!(outline(page), [web_archive]);
}

// Files made to do harm.

#[test]
fn a_damaged_zip_is_an_error() {
    let zip = zipped(&[("1.matches", MATCH.as_bytes())]);
    for cut in [4, 30, zip.len() - 30, zip.len() - 1] {
        let got = outline(&zip[..cut]);
        assert!(matches!(&got[..], [one] if one.starts_with("expected a whole zip, got a cut or damaged one (")), "{got:?}");
    }
}

#[test]
fn a_zip_may_not_have_too_many_files() {
    let names: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(outline(zipped(&files)), ["expected a zip of at most 10000 files, got 10001"]);
    assert_eq!(outline(zipped(&files[1..])).len(), 10_001);
}

#[test]
fn a_zip_may_not_unpack_to_too_much() {
    // A line of a match, then blank lines without end.
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(MATCH.as_bytes()).unwrap();
    packed.write_all(&vec![b'\n'; 80 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let mut zip = zipped(&[("bomb", &packed)]);
    // Declares the file to be deflated, in both of its headers.
    let central = zip.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    zip[8] = 8;
    zip[central + 10] = 8;
    let got = outline(zip);
    assert_eq!(got, ["bomb: the file unpacks to more than 500 times its size"]);
}

#[test]
fn a_text_may_not_be_too_long() {
    assert_eq!(outline(vec![b' '; 70 << 20]), ["expected at most 64 MB of text for a game"]);
    assert_eq!(outline(vec![b'['; 65 << 20]), ["expected at most 64 MB of text for a game"]);
    // A pack is as long as it likes.
    for (pack, between) in [("", ""), ("[", ",\n")] {
        let long = format!("{pack}{}", [numbered(1), format!("[{}]", " ".repeat(33 << 20))].join(between).repeat(2));
        assert_eq!(outline(long).iter().filter(|line| line.ends_with("m1")).count(), 2, "{pack}");
    }
    let long = "x".repeat(65 << 20);
    let pack = [numbered(1), long, numbered(2)].join("\n");
    assert_eq!(outline(pack), ["line 1 m1", "line 2: expected at most 64 MB of text for a game", "line 3 m2"]);
}

#[test]
fn a_pack_may_not_have_too_many_bad_lines() {
    let pack = numbered(1) + &"\nx".repeat(20_000);
    let got = outline(pack);
    assert_eq!(got.len(), 10_002);
    assert_eq!(got[10_001], "10000 matches cannot be read; the rest of the file is left out");
}

#[test]
fn a_hostile_page_takes_linear_time() {
    let begin = Instant::now();
    for piece in ["\"", "\"[\"", "\"[\\\"", "[", "{\"a\":", "[1,", "[\"output\",", "'[`{", "&quot;[", "\\u00"] {
        let page = format!("<p>output{}", piece.repeat((4 << 20) / piece.len()));
        assert_eq!(outline(page).len(), 1, "{piece}");
    }
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn deep_json_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"log\":", "}")] {
        let deep = open.repeat(100_000) + "1" + &close.repeat(100_000);
        assert!(outline(&deep)[0].starts_with("not JSON: recursion limit exceeded"), "{open}");
        assert!(outline(format!("<script>{deep}</script>"))[0].starts_with("expected a page with a match"), "{open}");
    }
}

#[test]
fn what_is_cut_off_is_an_error() {
    let replay: Replay = check_match(MATCH).replay;
    for text in [MATCH.trim_end(), INPUT.trim_end(), replay.write().trim_end()] {
        for cut in [1, text.len() / 3, text.len() / 2, text.len() - 1] {
            assert!(found(&text[..cut]).iter().all(Result::is_err), "{cut}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn damaged_files_are_read_or_rejected(
        kind in 0..7_usize,
        edits in proptest::collection::vec((any::<Index>(), prop_oneof![any::<u8>(), prop::sample::select(&b"{}[]\"\\\n<&,01"[..])]), 1..6),
    ) {
        let pack = [numbered(1), numbered(2)].join("\n");
        let mut bytes = match kind {
            0 => MATCH.into(),
            1 => INPUT.into(),
            2 => pack.into_bytes(),
            3 => pack.replace('\n', "").into_bytes(),
            4 => [pretty(&numbered(1)), pretty(&numbered(2))].join("\n").into_bytes(),
            5 => format!("<p><script>a = {}</script>", serde_json::to_string(MATCH).unwrap()).into_bytes(),
            _ => zipped(&[("1.matches", pack.as_bytes()), ("2.json", INPUT.as_bytes())]),
        };
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        for game in found(bytes).into_iter().flatten() {
            prop_assert_eq!(&Replay::read(&game.replay.write()).unwrap(), &game.replay);
            prop_assert!(game.form == GameForm::Replay || game.replay.verify().is_ok());
        }
    }
}
