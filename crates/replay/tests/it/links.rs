//! Games in links: whatever is written is read back, and whatever a stranger writes is read or rejected with a reason.

#[path = "../../../rules/tests/common/traces.rs"]
mod traces;

use pacman2_bots::BuiltIn;
use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{CustomMap, Map, MapSize, RawValue};
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
use pacman2_rules::{Action, BySeat, Cell, Fnv1a, ForfeitRuling, Ruleset, Seat, Setting, Square};
use proptest::prelude::*;
use traces::{BOTZONE_MAPS, Fixture, ODD_SETTINGS};

/// Plays a match; `respond` returns the response of a living player.
fn play(map: &Map, mut respond: impl FnMut(&Session, Seat) -> Option<ParsedResponse>) -> Vec<SessionTurn> {
    let mut session = Session::new(map.clone());
    let mut turns = Vec::new();
    while !session.game().is_over() {
        let alive = session.game().state().alive;
        let mut responses = BySeat::default();
        for seat in alive.iter() {
            let Some(response) = respond(&session, seat) else { return turns };
            responses[seat] = Some(response);
        }
        turns.extend(session.play(&responses));
    }
    turns
}

fn replay(map: &Map, names: [&str; 4], turns: &[SessionTurn]) -> Replay {
    let seats = BySeat(names.map(SeatInfo::named));
    Replay::new(map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default())
}

fn response(action: Action) -> ParsedResponse {
    ParsedResponse::Action { number: action::to_number(action), taunt: None }
}

/// Asserts that a replay is read back from its link. Returns the link.
#[track_caller]
fn check(replay: &Replay) -> String {
    let link = replay.to_link().unwrap();
    assert_eq!(&Replay::from_link(&link).unwrap(), replay, "{link}");
    link
}

#[test]
fn lengths_now() {
    for bots in [
        ["greedy", "greedy", "sample", "random"],
        ["greedy"; 4],
        ["sample"; 4],
        ["random"; 4],
        ["sample", "greedy", "sample", "greedy"],
    ] {
        let mut lengths: Vec<(usize, usize)> = (0..60)
            .map(|seed| {
                let map = Map::generate(seed * 7919, MapSize::default(), Ruleset::default()).unwrap();
                let turns = play(&map, |session, seat| {
                    let bot = BuiltIn::named(bots[seat.index()]).unwrap();
                    Some(response((bot.decide)(session.game(), seat, map.seed)))
                });
                (check(&replay(&map, bots, &turns)).len(), turns.len())
            })
            .filter(|(_, t)| *t == 100)
            .collect();
        lengths.sort();
        println!("{bots:?}: {} games, median {:?} max {:?}", lengths.len(), lengths[lengths.len() / 2], lengths.last());
    }
    let mut l = vec![];
    let mut c = vec![];
    for trace in [BOTZONE_MAPS, ODD_SETTINGS].iter().flat_map(Fixture::read) {
        let map = Map { seed: 12345678, maze: trace.maze.clone(), start: trace.start };
        let seed: i32 = trace.name.rsplit(' ').next().unwrap().parse().unwrap_or(0);
        let map = [MapSize::default(), MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) }]
            .into_iter()
            .map(|size| Map::generate(seed, size, *map.maze.ruleset()).unwrap())
            .find(|made| made.maze == map.maze)
            .unwrap_or(map);
        let mut actions = trace.turns.iter();
        let mut session = Session::new(map.clone());
        let turns: Vec<SessionTurn> = trace
            .turns
            .iter()
            .map(|(actions, _)| {
                let alive = session.game().state().alive;
                session
                    .play(&BySeat::from_fn(|seat| {
                        alive.contains(seat).then(|| match actions[seat] {
                            Action::Invalid => ParsedResponse::Nothing(Verdict::Ok),
                            a => response(a),
                        })
                    }))
                    .unwrap()
            })
            .collect();
        let link = check(&replay(&map, ["a", "b", "c", "d"], &turns));
        if turns.len() == 100 {
            if map.seed == 12345678 { c.push(link.len()) } else { l.push(link.len()) }
        }
    }
    l.sort();
    c.sort();
    println!(
        "generated {} median {} max {:?}; custom {} median {} max {:?}",
        l.len(),
        l[l.len() / 2],
        l.last(),
        c.len(),
        c[c.len() / 2],
        c.last()
    );
}
