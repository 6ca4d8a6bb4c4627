//! The gallery of the static site: games worth seeing, each with a sentence in both languages about facts of the game.

use std::collections::BTreeSet;
use std::path::Path;

use pacman2_bots::distance::Distances;
use pacman2_replay::Replay;
use pacman2_rules::{Cause, Event, Seat, State};
use serde::Deserialize;
use serde_json::Value;

/// A hunter is at most this many steps from its prey.
const NEAR: u8 = 3;

#[derive(Deserialize)]
struct GalleryGame {
    /// The game as a link holds it, after `#g=`.
    game: String,
    /// The turn with which the story begins.
    turn: usize,
    seats: [String; 4],
    story: Value,
    en: String,
    zh: String,
}

/// What a sentence is about. Turns count from 1, and seats are numbers.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Story {
    /// The lead went from one sole leader to another this often.
    LeadChanges { times: usize, last: usize },
    /// For this many turns the hunter was near a weaker player, before it ate it in a turn.
    Hunt { hunter: usize, prey: usize, turns: usize, turn: usize },
    /// One light hit this many players, and some of them died of it.
    Shot { shooter: usize, turn: usize, hit: usize, died: usize },
    /// The sole winner was the weakest player after a turn, this far behind the strongest.
    Comeback { winner: usize, turn: usize, behind: i32 },
    /// One player ate others in one turn.
    Feast { winner: usize, turn: usize, eaten: usize, loot: i32 },
    /// All four lived to the end, with strengths from `least` to `most`.
    CloseFinish { least: i32, most: i32, turns: usize },
}

#[test]
fn every_sentence_of_the_gallery_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/viewer/gallery.json");
    let gallery: Vec<GalleryGame> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut seen = BTreeSet::new();
    for GalleryGame { game, turn, seats, story, en, zh } in gallery {
        let replay = Replay::from_link(&game).unwrap();
        assert_eq!(replay.public.seats.each_ref().map(|seat| seat.name.clone()), seats);
        let facts: BTreeSet<u64> = story.as_object().unwrap().values().filter_map(Value::as_u64).chain([NEAR.into()]).collect();
        for sentence in [&en, &zh] {
            assert!(numbers(sentence).is_subset(&facts), "{sentence}");
        }
        assert!(turn < replay.public.turns.len());
        check(&replay, &serde_json::from_value(story).unwrap());
        assert!(seen.insert(game), "a game is there twice");
    }
    assert_eq!(seen.len(), 12);
}

fn numbers(sentence: &str) -> BTreeSet<u64> {
    sentence.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[track_caller]
fn check(replay: &Replay, story: &Story) {
    let turns = replay.verify().unwrap();
    let seat = |number: usize| Seat::new(number).unwrap();
    let state = |turn: usize| if turn == 0 { &replay.public.map.start } else { &turns[turn - 1].state };
    let events = |turn: usize| turns[turn - 1].report.events.iter();
    let last = turns.len();
    match *story {
        Story::LeadChanges { times, last: last_change } => {
            let mut leaders: Vec<(usize, Seat)> = (1..=last).filter_map(|turn| Some((turn, sole_leader(state(turn))?))).collect();
            leaders.dedup_by_key(|(_, leader)| *leader);
            assert_eq!((leaders.len() - 1, leaders.last().unwrap().0), (times, last_change));
        }
        Story::Hunt { hunter, prey, turns, turn } => {
            let (hunter, prey) = (seat(hunter), seat(prey));
            assert!(events(turn).any(|event| {
                matches!(event, Event::Fought { winners, eaten, .. } if winners.contains(hunter) && eaten.contains(prey))
            }));
            for state in (turn - turns..turn).map(state) {
                let steps = Distances::from(&replay.public.map.maze, state.cells[hunter], |_| true).to(state.cells[prey]);
                assert!(state.strength[hunter] > state.strength[prey] && steps.is_some_and(|steps| steps <= NEAR));
            }
        }
        Story::Shot { shooter, turn, hit, died } => {
            let hits = |event: &&Event| matches!(event, Event::Hit { shooter: by, .. } if *by == seat(shooter));
            assert_eq!(events(turn).filter(hits).count(), hit);
            let dies =
                |event: &&Event| matches!(event, Event::Died { cause: Cause::Light { by }, .. } if by.contains(seat(shooter)));
            assert_eq!(events(turn).filter(dies).count(), died);
        }
        Story::Comeback { winner, turn, behind } => {
            let strength = state(turn).strength;
            assert!(Seat::ALL.into_iter().all(|other| other == seat(winner) || strength[other] > strength[seat(winner)]));
            assert_eq!(strength.0.iter().max().unwrap() - strength[seat(winner)], behind);
            assert_eq!(sole_leader(state(last)), Some(seat(winner)));
        }
        Story::Feast { winner, turn, eaten, loot } => {
            assert!(events(turn).any(|event| {
                matches!(event, Event::Fought { winners, eaten: prey, share, .. }
                    if winners.iter().eq([seat(winner)]) && prey.len() == eaten && *share == loot)
            }));
        }
        Story::CloseFinish { least, most, turns } => {
            let end = state(last);
            let strengths = end.strength.0;
            assert_eq!((turns, end.alive.len()), (last, 4));
            assert_eq!((strengths.iter().min(), strengths.iter().max()), (Some(&least), Some(&most)));
        }
    }
}

fn sole_leader(state: &State) -> Option<Seat> {
    let most = state.strength.0.into_iter().max();
    let mut leaders = Seat::ALL.into_iter().filter(|&seat| Some(state.strength[seat]) == most);
    leaders.next().filter(|_| leaders.next().is_none())
}
