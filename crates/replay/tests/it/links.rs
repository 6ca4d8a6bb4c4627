//! Games in links: what is written is read back, and what a stranger writes is read or rejected with a reason.

#[path = "../../../rules/tests/common/traces.rs"]
mod traces;

use miniz_oxide::deflate::compress_to_vec;
use pacman2_bots::BuiltIn;
use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{Map, MapSize};
use pacman2_replay::{LimitsInfo, LinkError, PrivatePart, Replay, SeatInfo};
use pacman2_rules::{
    Action, BySeat, CellSet, Fnv1a, ForfeitRuling, Maze, MazeSpec, Ruleset, Seat, Setting, Square, State, Walls,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use traces::{BOTZONE_MAPS, Fixture, ODD_SETTINGS, Trace};

/// The link of a game.
const LINK: &str = "2xwHJNeFzTY87DsJAEEPvsnUKz4fvVaIUkRLREEBJhRB3x94EwRT78by1Z9uy9NPjOpbmVZZxHMrZD--mLZeZl2dpfocvV-b-Ntyn0pFKy1gLGcbKNPOQ6qqItHDJYtyoULOk5Mle1kUQSa6WYkUJpWN6MJG3LWbzWx3dQnEqCiFoDTKl1CyRct5yakSka8z_YG6Moe7gm_oTcAfCwS08Afc9p0E1N_C_2BEnWOchxWz6OJJv4SQAtqumVUYGxUANhpnuXaPhd6djHvfdBw";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Plays a match to its end, or for `most` turns.
fn play(map: &Map, most: usize, mut respond: impl FnMut(&Session, Seat) -> ParsedResponse) -> Vec<SessionTurn> {
    let mut session = Session::new(map.clone());
    let mut turns = Vec::new();
    while !session.game().is_over() && turns.len() < most {
        let alive = session.game().state().alive;
        let responses = BySeat::from_fn(|seat| alive.contains(seat).then(|| respond(&session, seat)));
        turns.extend(session.play(&responses));
    }
    turns
}

fn act(action: Action) -> ParsedResponse {
    ParsedResponse::Action { number: action::to_number(action), taunt: None }
}

fn replay(map: &Map, names: [&str; 4], turns: &[SessionTurn]) -> Replay {
    Replay::new(map, BySeat(names.map(SeatInfo::named)), LimitsInfo::default(), turns.iter(), PrivatePart::default())
}

/// Asserts that a replay is read back from its link. Returns the link.
#[track_caller]
fn check(replay: &Replay) -> String {
    let link = replay.to_link().unwrap();
    assert!(link.chars().all(|c| BASE64.contains(c)), "{link}");
    assert_eq!(&Replay::from_link(&link).unwrap(), replay, "{link}");
    link
}

/// Returns a game of built-in bots on the map that the seed makes.
fn played(seed: i32, bots: [&str; 4]) -> Replay {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default()).unwrap();
    let decide = bots.map(|name| name.parse::<BuiltIn>().unwrap().decide);
    let turns = play(&map, usize::MAX, |session, seat| act(decide[seat.index()](session.game(), seat, seed)));
    replay(&map, bots, &turns)
}

#[test]
fn a_game_of_a_hundred_turns_has_about_250_characters() {
    let games = [["greedy", "greedy", "random", "random"], ["greedy"; 4], ["random"; 4]];
    let lengths = games.into_iter().flat_map(|bots| (1..=8).map(move |seed| played(seed * 70_707, bots))).filter_map(|replay| {
        let link = check(&replay);
        (replay.public.turns.len() == 100).then_some(link.len())
    });
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort();
    assert!(lengths.len() > 15, "most games are whole");
    let (median, most) = (lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
    assert!(median <= 270 && most <= 330, "{lengths:?}");
}

#[test]
fn a_link_of_this_version_is_read_by_later_programs() {
    let replay = played(27, ["greedy", "greedy", "sample", "random"]);
    assert_eq!(Replay::from_link(LINK).as_ref(), Ok(&replay), "{}", replay.to_link().unwrap());
}

#[test]
fn games_of_the_sample_program_are_read_back() {
    for Trace { name, maze, start, turns, .. } in [BOTZONE_MAPS, ODD_SETTINGS].iter().flat_map(Fixture::read) {
        // The maps count as custom ones: their seed is not that of the generator.
        let map = Map { seed: -1, maze, start };
        let mut actions = turns.iter().flat_map(|(actions, _)| actions.0.into_iter().zip(Seat::ALL).collect::<Vec<_>>());
        let turns = play(&map, turns.len(), |_, seat| {
            let (action, _) = actions.find(|&(_, of)| of == seat).expect("the trace has an action for each living player");
            if action == Action::Invalid { ParsedResponse::Nothing(Verdict::Ok) } else { act(action) }
        });
        let link = check(&replay(&map, ["a", "b", "c", "d"], &turns));
        assert!(link.len() <= 700, "{name}: {link}");
    }
}

#[test]
fn a_forfeit_keeps_its_verdict_or_its_number() {
    let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
    let illegal = [8, 99, -2, -10_000, i32::MAX, i32::MIN, 7];
    let numbers = illegal.map(|number| ParsedResponse::Action { number, taunt: None });
    for response in Verdict::OF_RUNS.map(ParsedResponse::Nothing).into_iter().chain(numbers) {
        let turns = play(&map, usize::MAX, |session, seat| {
            let fails = seat == Seat::S2 && session.game().turns().len() == 3;
            if fails { response.clone() } else { act(Action::Stay) }
        });
        let replay = replay(&map, ["a", "a", "b", "a"], &turns);
        check(&replay);
        assert!(replay.public.turns[3].verdicts[2].unwrap().is_fault());
    }
}

#[test]
fn an_unfinished_game_is_read_back() {
    let whole = played(5, ["greedy"; 4]);
    for turns in [0, 1, 57] {
        let mut part = whole.clone();
        part.public.turns.truncate(turns);
        part.public.scores = None;
        check(&part);
    }
}

#[test]
fn names_are_shortened_between_characters() {
    let long = "ø".repeat(30);
    let mut given = played(5, ["random"; 4]);
    given.public.seats = ["", &long, "狐狸🦊", "a\u{202e}\"<\0"].map(SeatInfo::named);
    let read = Replay::from_link(&given.to_link().unwrap()).unwrap();
    let names = read.public.seats.map(|seat| seat.name);
    assert_eq!(names, ["", &format!("{}…", "ø".repeat(18)), "狐狸🦊", "a\u{202e}\"<\0"]);
}

#[test]
fn a_link_leaves_out_what_is_not_of_the_game() {
    let mut given = played(5, ["greedy"; 4]);
    let bare = given.to_link().unwrap();
    given.public.turns[0].taunts[1] = Some("mine!".to_owned());
    given.public.seats[0].program = Some("built-in 0.1.0".to_owned());
    given.public.limits.time_ms = Some(1000);
    assert_eq!(given.to_link().unwrap(), bare);
}

#[test]
fn a_replay_that_differs_from_the_rules_has_no_link() {
    let mut replay = played(5, ["greedy"; 4]);
    replay.public.turns[6].position ^= 1;
    assert!(matches!(replay.to_link(), Err(LinkError::Difference(_))));
    let mut moved = played(5, ["random"; 4]);
    moved.public.map.start.turn = 7;
    moved.public.turns.clear();
    moved.public.scores = None;
    assert_eq!(moved.to_link(), Err(LinkError::Start));
}

#[track_caller]
fn check_rejected(link: &str, error: &str) {
    assert_eq!(Replay::from_link(link).unwrap_err().to_string(), error, "{link}");
}

#[test]
fn a_damaged_link_says_what_is_damaged() {
    let link = played(27, ["greedy", "greedy", "random", "random"]).to_link().unwrap();
    let bytes = (link.len() - 1) * 6 / 8;
    check_rejected("", "expected a link with #g= and a game after it");
    check_rejected(
        &format!("3{}", &link[1..]),
        "expected a link of version 2, got version 3; another version of the program made it",
    );
    check_rejected("garbage", "expected a link with #g= and a game after it");
    for (at, bad) in [(1, "+"), (7, " "), (20, "é"), (link.len() - 1, "=")] {
        let damaged = format!("{}{bad}{}", &link[..at], &link[at + 1..]);
        let expected =
            format!("the link is damaged: expected letters, digits, - and _, got \"{bad}\" as character {} after g=", at + 1);
        check_rejected(&damaged, &expected);
    }
    for kept in 8..link.len() {
        let got = (kept - 1) * 6 / 8;
        if got < bytes {
            check_rejected(&link[..kept], &format!("the link is cut off: expected {bytes} bytes, got {got}"));
        }
    }
    check_rejected(&format!("{link}AAAA"), &format!("the link is damaged: expected {bytes} bytes, got {}", bytes + 3));
    let checksums = (1..link.len()).filter(|&at| {
        let digit = if &link[at..=at] == "x" { "y" } else { "x" };
        let error = Replay::from_link(&format!("{}{digit}{}", &link[..at], &link[at + 1..])).err();
        matches!(error, Some(LinkError::Checksum { .. }))
    });
    // Three characters hold the length, and the last one may have bits to spare.
    assert!(checksums.count() >= link.len() - 6, "a changed character is noticed");
    check_rejected(&"2".repeat(200_000), "the link is too long: expected at most 131072 characters, got 200000");
}

/// Frames bytes as a link whose checksum is right, as `docs/REPLAY.md` describes it.
fn framed(content: &[u8]) -> String {
    let mut hash = Fnv1a::new();
    hash.write(content);
    let checksum = (hash.finish() >> 32 ^ hash.finish()) as u32;
    let mut bytes = match content.len() {
        length @ ..0x80 => vec![length as u8],
        length => vec![length as u8 | 0x80, (length >> 7) as u8],
    };
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(content);
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let digit = |bits: &[u8]| (0..6).fold(0, |digit, bit| digit << 1 | usize::from(*bits.get(bit).unwrap_or(&0)));
    bits.chunks(6)
        .map(digit)
        .map(|digit| char::from(BASE64.as_bytes()[digit]))
        .fold("2".to_owned(), |text, digit| text + &digit.to_string())
}

/// Returns a link with this text as its content.
fn packed(text: &str) -> String {
    framed(&compress_to_vec(text.as_bytes(), 9))
}

/// The places of the parts of a content.
const RULING: usize = 0;
const INIT: usize = 1;
const NAMES: usize = 2;
const ACTIONS: usize = 3;
const END: usize = 4;

/// Returns the content of a game of one turn, with some parts replaced. It does not end as it says.
fn content(changes: &[(usize, Value)]) -> String {
    let mut content = json!(["sample", { "seed": 27 }, ["a", "b", "c", "d"], ["0", "0", "0", "0"], 0]);
    for (part, value) in changes {
        content[part] = value.clone();
    }
    content.to_string()
}

#[test]
fn a_content_that_is_no_game_is_rejected() {
    let Err(LinkError::End { expected, found: 0 }) = Replay::from_link(&packed(&content(&[]))) else {
        panic!("it ends elsewhere")
    };
    let end = (END, json!(expected));
    assert_eq!(Replay::from_link(&packed(&content(std::slice::from_ref(&end)))).unwrap().public.turns.len(), 1);
    for change in [
        (RULING, json!("other")),
        (NAMES, json!(["a", "b", "c"])),
        (NAMES, json!(["a", "b", "c", "d", "e"])),
        (NAMES, json!([1, "b", "c", "d"])),
        (ACTIONS, json!([0, 0, 0, 0])),
        (ACTIONS, json!(["0", "0", "0", ""])),
        (ACTIONS, json!(["0", "0", "0", "9"])),
        (ACTIONS, json!(["0", "g", "0", "0"])),
        (ACTIONS, json!(["0", "(1", "0", "0"])),
        (ACTIONS, json!(["0", "(x)", "0", "0"])),
        (ACTIONS, json!(["é", "0", "0", "0"])),
        (END, json!(-1)),
    ] {
        let error = Replay::from_link(&packed(&content(&[end.clone(), change.clone()]))).unwrap_err();
        assert_eq!(error, LinkError::Content, "{change:?}");
    }
    assert!(matches!(Replay::from_link(&packed(&content(&[(INIT, json!(null))]))), Err(LinkError::Map(_))));
    let stays = "0".repeat(101);
    let too_long = content(&[(ACTIONS, json!([stays, stays, stays, stays]))]);
    assert_eq!(Replay::from_link(&packed(&too_long)), Err(LinkError::GameOver { turn: 101 }));
    for content in ["{", "[]", "null"] {
        assert_eq!(Replay::from_link(&packed(content)), Err(LinkError::Content));
    }
    assert_eq!(Replay::from_link(&framed(&[])), Err(LinkError::Content));
    let long = Replay::from_link(&packed(&content(&[end, (NAMES, json!(["x".repeat(99), "b", "c", "d"]))]))).unwrap();
    assert_eq!(long.public.seats[0].name, format!("{}…", "x".repeat(37)));
}

#[test]
fn the_longest_game_takes_a_bounded_effort() {
    let bomb = content(&[(NAMES, json!(["x".repeat(2 << 20), "b", "c", "d"]))]);
    assert_eq!(Replay::from_link(&packed(&bomb)), Err(LinkError::Content));
    let ruleset = Ruleset { turn_limit: Ruleset::MAX, ..Ruleset::default() };
    let map = Map::generate(1, MapSize::default(), ruleset).unwrap();
    let turns = play(&map, usize::MAX, |_, _| act(Action::Stay));
    assert_eq!(turns.len(), 10_000);
    let link = check(&self::replay(&map, ["a", "b", "c", "d"], &turns));
    assert!(link.len() < 2000, "{}", link.len());
}

fn rulesets() -> impl Strategy<Value = Ruleset> {
    let settings =
        Setting::ALL.map(|setting| prop_oneof![2 => Just(Ruleset::default().get(setting)), 1 => setting.range(), 1 => 1..=30i64]);
    (settings, 0..3usize).prop_map(|(values, ruling)| {
        let ruleset = Ruleset::default().with_forfeit_ruling(ForfeitRuling::ALL[ruling]);
        Setting::ALL.into_iter().zip(values).fold(ruleset, |ruleset, (setting, value)| ruleset.with(setting, value).unwrap())
    })
}

fn generated_maps() -> impl Strategy<Value = Map> {
    let seed = prop_oneof![0..100i32, any::<i32>()];
    let side = || prop_oneof![Just(None), (6..=11u8).prop_map(Some)];
    (seed, side(), side(), rulesets())
        .prop_map(|(seed, width, height, ruleset)| Map::generate(seed, MapSize { width, height }, ruleset).unwrap())
}

/// Maps with any walls, also one-sided ones, and with any fruit and players.
fn custom_maps() -> impl Strategy<Value = Map> {
    let bits = || proptest::collection::vec(any::<(u8, u8)>(), 121);
    (any::<i32>(), 6..=11u8, 6..=11u8, rulesets(), bits(), any::<[u8; 4]>()).prop_filter_map(
        "a maze that can be played",
        |(seed, width, height, ruleset, bits, places)| {
            let mut generators = 0;
            let squares = bits[..usize::from(width) * usize::from(height)].iter().map(|(wall, _)| {
                let mut walls = Walls::NONE;
                for direction in pacman2_rules::Direction::ALL.into_iter().filter(|side| wall >> side.index() & 5 == 5) {
                    walls.insert(direction);
                }
                generators += usize::from(*wall > 250);
                Square { walls, generator: *wall > 250 && generators <= 4 }
            });
            let maze = Maze::new(&MazeSpec { width, height, squares: squares.collect(), ruleset }).ok()?;
            let cells = maze.cells().collect::<Vec<_>>();
            let fruit =
                |bit: u8| cells.iter().zip(&bits).filter(move |(_, (_, fruit))| fruit & bit == bit).map(|(&cell, _)| cell);
            let players = BySeat(places.map(|place| cells[usize::from(place) % cells.len()]));
            let start = State::start(&maze, players, fruit(3).collect::<CellSet>(), fruit(28).collect::<CellSet>());
            Some(Map { seed, maze, start })
        },
    )
}

/// What the players do: an index into the legal actions for each turn and seat, sometimes anything.
fn responses() -> impl Strategy<Value = Vec<[(u8, Option<ParsedResponse>); 4]>> {
    let anything = prop_oneof![
        (0..6usize).prop_map(|index| ParsedResponse::Nothing(Verdict::OF_RUNS[index])),
        (-12..12i32).prop_map(|number| ParsedResponse::Action { number, taunt: None }),
        any::<i32>().prop_map(|number| ParsedResponse::Action { number, taunt: None }),
    ];
    let response = (any::<u8>(), proptest::option::weighted(0.01, anything));
    proptest::collection::vec([response.clone(), response.clone(), response.clone(), response], 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_game_is_read_back(
        map in prop_oneof![generated_maps(), custom_maps()],
        names in proptest::array::uniform4("\\PC{0,10}"),
        responses in responses(),
    ) {
        let turns = play(&map, responses.len(), |session, seat| {
            let game = session.game();
            let (index, anything) = &responses[game.turns().len()][seat.index()];
            let legal = game.state().legal_actions(game.maze(), seat);
            anything.clone().unwrap_or_else(|| act(legal[usize::from(*index) % legal.len()]))
        });
        check(&replay(&map, names.each_ref().map(String::as_str), &turns));
    }

    #[test]
    fn whatever_a_stranger_frames_is_read_or_rejected(content in proptest::collection::vec(any::<u8>(), 0..120)) {
        if let Ok(replay) = Replay::from_link(&framed(&content)) {
            check(&replay);
        }
    }

    #[test]
    fn whatever_a_stranger_packs_is_read_or_rejected(
        actions in proptest::array::uniform4("([0-8a-f]|\\(-?[0-9]{1,3}\\)){0,60}"),
    ) {
        let end = match Replay::from_link(&packed(&content(&[(ACTIONS, json!(actions))]))) {
            Err(LinkError::End { expected, .. }) => expected,
            _ => 0,
        };
        if let Ok(replay) = Replay::from_link(&packed(&content(&[(ACTIONS, json!(actions)), (END, json!(end))]))) {
            check(&replay);
        }
    }

    #[test]
    fn whatever_a_stranger_writes_is_read_or_rejected(text in "2?[A-Za-z0-9_é-]{0,60}") {
        if let Ok(replay) = Replay::from_link(&text) {
            check(&replay);
        }
    }
}
