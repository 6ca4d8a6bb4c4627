//! The loop against a local stand-in for Botzone that misbehaves. Time does not pass here: waits are written down.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_bot_source::resolve::{Bot, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_botzone::local_ai::{MatchPlayer, NewMatch};
use pacman2_replay::Replay;
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset};
use pacman2_runner::Limits;
use serde_json::json;
use tempfile::TempDir;

use super::account::Account;
use super::active::{ActiveMatches, PlayedBot};
use super::bridge::{Bridge, Outcome, Plan};
use super::http::Client;
use super::output::Event;
use super::unfinished::Unfinished;

#[path = "../tests/stand_in/mod.rs"]
mod stand_in;

use stand_in::{Fault, SECRET, ServedMatch, StandIn, USER, request_line};

/// The turns of a match here.
const TURNS: u32 = 6;

/// What a run of the loop did.
#[derive(Debug)]
struct Run {
    outcome: Result<Outcome, String>,
    events: Vec<Event>,
    waits: Vec<u64>,
}

/// How the loop runs.
struct Setup {
    folder: TempDir,
    matches: u32,
    matches_at_once: usize,
    fetch_logs: bool,
    start: Option<NewMatch>,
    poll_time: Duration,
}

impl Setup {
    fn new() -> Setup {
        let folder = tempfile::tempdir().unwrap();
        Setup { folder, matches: 1, matches_at_once: 4, fetch_logs: true, start: None, poll_time: Duration::from_secs(120) }
    }

    /// A run that soon stops waiting for a reply. On a busy machine it may do so before the stand-in hangs.
    fn impatient() -> Setup {
        Setup { poll_time: Duration::from_millis(500), ..Setup::new() }
    }

    fn run(&self, site: &StandIn) -> Run {
        self.run_with(site, &AtomicBool::new(false), &mut |_| ())
    }

    /// Runs the loop. `on_wait` sees each wait; the loop ends when `stop` is set.
    fn run_with(&self, site: &StandIn, stop: &AtomicBool, on_wait: &mut dyn FnMut(Duration)) -> Run {
        self.run_listening(site.url(), stop, on_wait, &mut |_| ())
    }

    fn run_listening(
        &self,
        url: String,
        stop: &AtomicBool,
        on_wait: &mut dyn FnMut(Duration),
        on_event: &mut dyn FnMut(&Event),
    ) -> Run {
        let file = self.folder.path().join("address.txt");
        write_private(&file, &url);
        let account = Account::find(Some(&file)).unwrap();
        let policy = SandboxPolicy::without_programs();
        let bot = Bot::find(&"greedy".parse().unwrap(), &policy).unwrap();
        let config = PlayerConfig {
            limits: Limits::default(),
            as_process: false,
            ruleset: Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge),
            hidden: PlayedBot::hidden(&bot, Vec::new()),
        };
        let source = PlayedBot { bot, config, policy };
        let (mut events, mut waits) = (Vec::new(), Vec::new());
        let bridge = Bridge {
            site: &mut Client::new(account, stop),
            sleep: &mut |time| {
                waits.push(time.as_secs());
                on_wait(time);
            },
            listen: &mut |event| {
                on_event(&event);
                events.push(event);
                Ok(())
            },
            stop,
            plan: Plan {
                start: self.start.clone(),
                matches: Some(self.matches),
                matches_at_once: self.matches_at_once,
                poll_time: self.poll_time,
                folder: self.folder.path().join("replays"),
                fetch_logs: self.fetch_logs,
            },
            matches: ActiveMatches::new(&source, Unfinished::beside(&self.folder.path().join("replays"))),
            waiting: BTreeMap::new(),
            ignored: BTreeSet::new(),
        };
        let outcome = bridge.run().map_err(|error| format!("{error:#}"));
        let run = Run { outcome, events, waits };
        assert!(!format!("{run:?}").contains(SECRET), "{run:#?}");
        run
    }

    fn replay(&self, id: &str) -> Replay {
        let text = std::fs::read_to_string(self.folder.path().join(format!("replays/botzone-{id}.json"))).unwrap();
        let replay = Replay::read(&text).unwrap();
        replay.verify().unwrap_or_else(|error| panic!("{error}"));
        replay
    }

    fn unfinished(&self) -> usize {
        std::fs::read_dir(self.folder.path().join("replays/.pacman2-unfinished")).map_or(0, Iterator::count)
    }
}

#[cfg(unix)]
fn write_private(file: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn write_private(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
}

fn one_match() -> StandIn {
    StandIn::new(vec![ServedMatch::new("a1", 2, 5, TURNS)])
}

/// Plays a match in which this goes wrong, and asserts that it ends as one in which nothing does. Returns the run.
#[track_caller]
fn check_survives(faults: &[Fault]) -> Run {
    let hangs = faults.iter().any(|fault| matches!(fault, Fault::Hang | Fault::HangAfter));
    let (undisturbed, disturbed) = (Setup::new(), if hangs { Setup::impatient() } else { Setup::new() });
    undisturbed.run(&one_match());
    let site = one_match();
    site.fail(faults.iter().cloned());
    let run = disturbed.run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done), "{run:#?}");
    assert_eq!(disturbed.replay("a1").public, undisturbed.replay("a1").public);
    run
}

// Matches.

#[test]
fn a_match_leaves_a_whole_replay() {
    let (setup, site) = (Setup::new(), one_match());
    let run = setup.run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done));
    assert_eq!(run.waits, [0; 0]);
    let replay = setup.replay("a1");
    assert_eq!(replay.public.turns.len(), TURNS as usize);
    assert!(replay.public.scores.is_some());
    assert_eq!(replay.public.seats[2].name, "greedy");
    assert!(replay.public.seats[2].program.is_some());
    let [Event::Begun { turns: 0, .. }, answers @ .., Event::Ended { scores, turns, .. }] = &run.events[..] else {
        panic!("{run:#?}")
    };
    assert_eq!((answers.len(), *turns, scores.len()), (TURNS as usize, TURNS as usize, 4));
    assert_eq!(setup.unfinished(), 0);
}

#[test]
fn without_the_log_the_replay_ends_with_the_last_turn_that_the_bot_saw() {
    let (setup, site) = (Setup::new(), one_match());
    site.state().has_logs = false;
    let run = setup.run(&site);
    let replay = setup.replay("a1");
    assert_eq!((replay.public.turns.len(), replay.public.scores), (TURNS as usize - 1, None));
    let note = run.events.iter().find_map(|event| if let Event::Note { text, .. } = event { Some(text) } else { None });
    assert!(note.unwrap().contains("status 404: no such match"), "{run:#?}");

    let (setup, site) = (Setup { fetch_logs: false, ..Setup::new() }, one_match());
    setup.run(&site);
    assert_eq!(setup.replay("a1").public.turns.len(), TURNS as usize - 1);
    assert!(site.state().asked.iter().all(|asked| asked.path.ends_with("/localai")));
}

#[test]
fn several_matches_are_played_at_once_and_others_wait() {
    let games = [("a1", 0), ("b2", 1), ("c3", 2), ("d4", 3)];
    let site = StandIn::new(games.map(|(id, seat)| ServedMatch::new(id, seat, 7, TURNS)).into());
    let setup = Setup { matches: 4, matches_at_once: 3, ..Setup::new() };
    let run = setup.run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done));
    assert_eq!(run.events.iter().filter(|event| matches!(event, Event::Waits(_))).count(), 1);
    assert!(
        site.polls().iter().any(|poll| poll
            .headers
            .iter()
            .filter(|(name, _)| name.to_lowercase().starts_with("x-match-"))
            .count()
            == 3)
    );
    for (id, seat) in games {
        assert_eq!(setup.replay(id).public.seats[seat].name, "greedy");
    }
}

#[test]
fn replays_are_never_overwritten() {
    let setup = Setup::new();
    for _ in 0..2 {
        setup.run(&one_match());
    }
    let mut names: Vec<String> = std::fs::read_dir(setup.folder.path().join("replays"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    assert_eq!(names, ["botzone-a1-2.json", "botzone-a1.json"]);
}

#[test]
fn an_aborted_match_leaves_what_was_played() {
    let (setup, site) = (Setup::new(), one_match());
    let never = AtomicBool::new(false);
    let run = setup.run_listening(site.url(), &never, &mut |_| (), &mut |event| {
        if let Event::Answered { turn: 3, .. } = event {
            site.state().matches[0].is_aborted = true;
        }
    });
    assert_eq!(run.outcome, Ok(Outcome::Done));
    let Some(Event::Ended { scores, turns: 2, .. }) = run.events.last() else { panic!("{run:#?}") };
    assert_eq!(scores, &[0.0; 0]);
    assert_eq!(setup.replay("a1").public.turns.len(), 2);
}

#[test]
fn matches_of_other_games_are_left_alone() {
    let (setup, site) = (Setup::new(), one_match());
    site.state().extra =
        (vec!["t1\n0 1 2".to_owned(), request_line("t2", &json!({ "x": 0, "y": 1 }))], vec!["t3 1 2 5 0".to_owned()]);
    let run = setup.run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done));
    let notes: Vec<&str> =
        run.events.iter().filter_map(|event| if let Event::Note { id, .. } = event { Some(id.as_str()) } else { None }).collect();
    assert_eq!(notes, ["t1", "t2"]);
    setup.replay("a1");
}

// Troubles.

#[test]
fn gateway_errors_are_retried_after_five_seconds() {
    let run = check_survives(&[
        Fault::Status(502, String::new()),
        Fault::Status(504, String::new()),
        Fault::Status(502, "<html>".to_owned()),
    ]);
    assert_eq!(run.waits, [5, 5, 5]);
    assert_eq!(run.events.iter().filter(|event| matches!(event, Event::Recovered)).count(), 1);
}

#[test]
fn an_answer_is_kept_until_a_200() {
    let site = one_match();
    site.fail([Fault::RepeatRequests, Fault::Status(504, String::new()), Fault::Status(502, String::new()), Fault::Close]);
    let run = Setup::new().run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done));
    let answers: Vec<Option<String>> = site.polls().iter().map(|poll| poll.header("X-Match-a1").map(str::to_owned)).collect();
    assert!(answers[0].is_none() && answers[1].is_some(), "{answers:?}");
    assert!(answers[1..5].iter().all(|answer| *answer == answers[1]), "{answers:?}");
}

#[test]
fn hung_connections_end_by_our_own_time_limit() {
    let run = check_survives(&[Fault::Hang, Fault::Hang, Fault::HangAfter, Fault::HangAfter]);
    assert!(run.waits.len() >= 4 && run.waits.iter().all(|&wait| wait == 0), "{run:#?}");
}

#[test]
fn replies_that_are_cut_off_or_never_end_acknowledge_nothing() {
    let run = check_survives(&[Fault::Half, Fault::Close, Fault::Endless]);
    assert_eq!(run.waits, [5, 10, 20]);
}

#[test]
fn an_answer_that_was_taken_although_the_reply_got_lost_counts_once() {
    check_survives(&[
        Fault::RepeatRequests,
        Fault::StatusAfter(504),
        Fault::StatusAfter(502),
        Fault::RepeatRequests,
        Fault::Half,
        Fault::StatusAfter(504),
    ]);
}

#[test]
fn garbage_is_no_reply() {
    let html = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>".to_vec();
    let echo = format!("/api/{USER}/{SECRET}/localai");
    let echo = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{echo}", echo.len()).into_bytes();
    let promise = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n2 0\na1\n{".to_vec();
    let run = check_survives(&[Fault::Raw(html), Fault::Raw(b"SSH-2.0-x\r\n".to_vec()), Fault::Raw(promise), Fault::Raw(echo)]);
    assert_eq!(run.waits, [5, 10, 20, 40]);
}

#[test]
fn repeated_requests_and_lost_answers_change_nothing() {
    check_survives(&[
        Fault::RepeatRequests,
        Fault::RepeatRequests,
        Fault::LoseAnswers,
        Fault::LoseAnswers,
        Fault::RepeatRequests,
    ]);
}

#[test]
fn a_site_that_asks_to_wait_is_given_time() {
    let run = check_survives(&[
        Fault::Status(403, "later".to_owned()),
        Fault::Status(429, String::new()),
        Fault::Status(503, String::new()),
    ]);
    assert_eq!(run.waits, [5, 10, 20]);
}

#[test]
fn a_rejected_user_is_told_why_without_the_secret() {
    for (status, body, words) in [
        (401, format!("bad secret {SECRET} for /api/{USER}/{SECRET}/localai"), "the secret is wrong"),
        (401, "your level is 1".to_owned(), "your level on the site is too low"),
        (400, "no".to_owned(), "the site rejects the request (status 400: no)"),
        (302, String::new(), "the site has moved"),
    ] {
        let site = one_match();
        site.fail([Fault::Status(status, body)]);
        let run = Setup::new().run(&site);
        let error = run.outcome.unwrap_err();
        assert!(error.contains(words) && !error.contains(SECRET), "{error}");
        assert_eq!(site.polls().len(), 1, "no redirect is followed, and nothing is tried again");
    }
}

#[test]
fn a_site_that_restarts_is_asked_again() {
    let (setup, mut site) = (Setup::new(), one_match());
    let url = site.url();
    site.stop();
    let never = AtomicBool::new(false);
    let run = setup.run_listening(url, &never, &mut |_| site.restart(), &mut |_| ());
    assert_eq!(run.outcome, Ok(Outcome::Done));
    assert_eq!(run.waits, [5]);
    setup.replay("a1");
}

// Restarts.

/// Stops the loop after this turn, and continues in another one.
#[track_caller]
fn check_continues(in_envelopes: bool, forget: bool) {
    let (setup, site) = (Setup::new(), one_match());
    site.state().in_envelopes = in_envelopes;
    let stop = AtomicBool::new(false);
    let run = setup.run_listening(site.url(), &stop, &mut |_| (), &mut |event| {
        if let Event::Answered { turn: 3, .. } = event {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert_eq!(run.outcome, Ok(Outcome::Interrupted));
    assert_eq!(setup.unfinished(), 1);
    if forget {
        std::fs::remove_dir_all(setup.folder.path().join("replays")).unwrap();
    }
    // Nobody answers the request that was sent, so it comes again.
    site.fail([Fault::RepeatRequests]);
    let run = setup.run(&site);
    assert_eq!(run.outcome, Ok(Outcome::Done), "{run:#?}");
    assert!(matches!(run.events[0], Event::Begun { turns: 2, .. }), "{run:#?}");
    let undisturbed = Setup::new();
    undisturbed.run(&one_match());
    assert_eq!(setup.replay("a1").public, undisturbed.replay("a1").public);
    assert_eq!(setup.unfinished(), 0);
}

#[test]
fn a_match_continues_after_a_restart_with_bare_requests() {
    check_continues(false, false);
}

#[test]
fn a_match_continues_after_a_restart_with_envelopes() {
    check_continues(true, false);
    check_continues(true, true);
}

#[test]
fn a_match_whose_beginning_is_unknown_is_not_answered() {
    let (setup, site) = (Setup::new(), one_match());
    let stop = AtomicBool::new(false);
    site.state().extra.0 = vec![request_line(
        "z9",
        &json!({ "0": { "action": 1 }, "1": { "action": 1 }, "2": { "action": 1 }, "3": { "action": 1 } }),
    )];
    let run = setup.run_with(&site, &stop, &mut |_| ());
    let note = run.events.iter().find_map(|event| if let Event::Note { text, .. } = event { Some(text.as_str()) } else { None });
    assert_eq!(note, Some("not answered: the match began before, and the request holds nothing but its last turn"));
}

// Starting matches.

#[test]
fn matches_are_started_when_the_site_lets_us() {
    let bot = || MatchPlayer::parse("60b1").unwrap();
    let start = NewMatch::new(BySeat([bot(), bot(), MatchPlayer::Me, bot()])).unwrap();
    let setup = Setup { start: Some(start), ..Setup::new() };
    let site = one_match();
    site.state().run_match = [(403, "a match is running".to_owned()), (200, json!({ "matchid": "a1" }).to_string())].into();
    let run = setup.run(&site);
    assert_eq!((run.outcome, run.waits), (Ok(Outcome::Done), vec![5]));
    assert!(matches!(&run.events[1], Event::Started(id) if id.as_str() == "a1"));
    let state = site.state();
    let asked = state.asked.iter().find(|asked| asked.path.ends_with("/runmatch")).unwrap();
    assert_eq!((asked.header("X-Game"), asked.header("X-Player-2")), (Some("Pacman2"), Some("me")));
}
