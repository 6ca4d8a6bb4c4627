//! Reruns: the questions of a recorded match, asked again.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_botzone::JsonText;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::Verdict;
use pacman2_maps::Map;
use pacman2_match::player::{InProcess, Player, Request, Response};
use pacman2_match::record::record;
use pacman2_match::referee::{AskMode, Players, play};
use pacman2_match::rerun::{RerunError, RerunMode, RerunTurn, rerun};
use pacman2_replay::{LimitsInfo, Replay, ReplayDifference, SeatInfo};
use pacman2_rules::{Action, BySeat, Direction, Seat, picture};

/// A match of four turns. Seat 0 walks to and fro, seat 1 takes an illegal action in turn 2.
fn recorded() -> Replay {
    let (maze, start) = picture::read(
        "
        turn 0/4
        +----+----+----+----+----+----+
        | 0o                        1 |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2                        3. |
        +----+----+----+----+----+----+
        ",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let map = Map { seed: 7, maze, start };
    let walker = |view: &BotView<'_>| {
        let direction = if view.game.state().turn.is_multiple_of(2) { Direction::Right } else { Direction::Left };
        BotReply { taunt: "hm".to_owned(), ..BotReply::action(Action::Move(direction)) }
    };
    let faulty = |view: &BotView<'_>| {
        let walks_into_the_wall = view.game.state().turn == 1;
        BotReply::action(if walks_into_the_wall { Action::Move(Direction::Up) } else { Action::Stay })
    };
    let stay = |_: &BotView<'_>| BotReply::default();
    let mut players: Players = BySeat([
        Box::new(InProcess::new(walker, String::new())),
        Box::new(InProcess::new(faulty, String::new())),
        Box::new(InProcess::new(stay, String::new())),
        Box::new(InProcess::new(stay, String::new())),
    ]);
    let turns = play(map.clone(), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ()).unwrap();
    let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
    record(&map, seats, LimitsInfo::default(), BySeat::default(), &turns)
}

fn ask(seat: Seat, player: &mut dyn Player, mode: RerunMode) -> Vec<RerunTurn> {
    rerun(&recorded(), seat, player, mode, &AtomicBool::new(false), |_| ControlFlow::Continue(())).unwrap()
}

fn actions(answers: &[RerunTurn]) -> Vec<(usize, i32, i32)> {
    answers.iter().map(|answer| (answer.turn, answer.recorded.unwrap(), answer.action())).collect()
}

#[test]
fn each_question_is_that_of_the_match() {
    let mut seen = Vec::new();
    let mut player = InProcess::new(
        |view: &BotView<'_>| {
            seen.push((view.game.state().turn, view.game.state().cells[Seat::S0].index()));
            BotReply::default()
        },
        String::new(),
    );
    let answers = ask(Seat::S0, &mut player, RerunMode::AsInMatch);
    assert_eq!(actions(&answers), [(1, 1, -1), (2, 3, -1), (3, 1, -1), (4, 3, -1)]);
    assert!(answers.iter().all(RerunTurn::differs));
    drop(player);
    assert_eq!(seen, [(0, 0), (1, 1), (2, 0), (3, 1)], "the game goes on as recorded");
}

#[test]
fn the_dead_are_asked_nothing() {
    let mut stay = InProcess::new(|_: &BotView<'_>| BotReply::default(), String::new());
    let answers = ask(Seat::S1, &mut stay, RerunMode::AsInMatch);
    assert_eq!(actions(&answers), [(1, -1, -1), (2, 0, -1)], "seat 1 died in turn 2");
    assert_eq!((answers[1].verdict, answers[0].differs(), answers[1].differs()), (Verdict::Ok, false, true));
}

#[test]
fn an_illegal_action_is_explained_and_changes_nothing() {
    let up = |_: &BotView<'_>| BotReply::action(Action::Move(Direction::Up));
    let answers = ask(Seat::S0, &mut InProcess::new(up, String::new()), RerunMode::AsInMatch);
    assert_eq!(answers.len(), 4);
    for answer in answers {
        assert_eq!(answer.verdict, Verdict::Illegal);
        assert_eq!(answer.response.complaint.unwrap().to_string(), "it cannot go up: a wall is there");
    }
}

#[test]
fn the_last_question_of_a_match_that_has_not_ended_has_no_recorded_answer() {
    let mut replay = recorded();
    replay.public.turns.truncate(2);
    replay.public.scores = None;
    let up = |_: &BotView<'_>| BotReply::action(Action::Move(Direction::Up));
    let of = |seat| {
        let mut player = InProcess::new(up, String::new());
        let go_on = |_: &RerunTurn| ControlFlow::Continue(());
        rerun(&replay, seat, &mut player, RerunMode::AsInMatch, &AtomicBool::new(false), go_on).unwrap()
    };
    let last = of(Seat::S0).pop().unwrap();
    assert_eq!((last.turn, last.recorded, last.differs(), last.verdict), (3, None, false, Verdict::Illegal));
    assert_eq!(of(Seat::S1).len(), 2, "seat 1 died in turn 2");
}

#[test]
fn a_replay_that_differs_from_the_rules_asks_nothing() {
    struct Never;
    impl Player for Never {
        fn ask(&mut self, _: &Request<'_>) -> Response {
            panic!("it is asked");
        }
    }
    let mut replay = recorded();
    replay.public.turns[3].position ^= 1;
    let difference =
        rerun(&replay, Seat::S0, &mut Never, RerunMode::AsInMatch, &AtomicBool::new(false), |_| ControlFlow::Continue(()));
    assert!(matches!(difference, Err(RerunError::Replay(ReplayDifference::Turn { turn: 4, .. }))), "{difference:?}");
}

#[test]
fn a_rerun_ends_early_if_asked_to() {
    let stay = |_: &BotView<'_>| BotReply::default();
    let flow = |answer: &RerunTurn| if answer.turn < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let never = AtomicBool::new(false);
    let answers =
        rerun(&recorded(), Seat::S0, &mut InProcess::new(stay, String::new()), RerunMode::AsInMatch, &never, flow).unwrap();
    assert_eq!(answers.len(), 3);
    let stop = AtomicBool::new(false);
    let stopping = |view: &BotView<'_>| {
        stop.store(view.game.state().turn == 1, Ordering::Relaxed);
        BotReply::default()
    };
    let mut player = InProcess::new(stopping, String::new());
    let answers = rerun(&recorded(), Seat::S0, &mut player, RerunMode::AsInMatch, &stop, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(answers.len(), 1, "the answer that was interrupted does not count");
}

#[cfg(unix)]
mod programs {
    use pacman2_match::player::BotProgram;
    use pacman2_runner::{Limits, Program};
    use serde_json::{Value, json};

    use super::*;

    /// Writes each question to standard error.
    fn shell(script: &str) -> BotProgram {
        let limits = Limits { wall: None, cpu: None, memory_bytes: None, ..Limits::default() };
        BotProgram::new(Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], limits), JsonText::default())
    }

    fn questions(answers: &[RerunTurn]) -> Vec<Value> {
        answers.iter().map(|answer| serde_json::from_str(&answer.response.stderr).unwrap_or_default()).collect()
    }

    const ANSWER: &str = r#"{"response":{"action":-1},"data":"kept"}"#;

    #[test]
    fn the_history_has_the_recorded_responses_and_its_own_data() {
        let script = format!("read -r question; echo \"$question\" >&2; echo '{ANSWER}'");
        for mode in [RerunMode::AsInMatch, RerunMode::Afresh] {
            let answers = ask(Seat::S0, &mut shell(&script), mode);
            assert_eq!(actions(&answers)[3], (4, 3, -1));
            let questions = questions(&answers);
            let right = json!({ "action": 1, "tauntText": "hm" });
            let left = json!({ "action": 3, "tauntText": "hm" });
            assert_eq!(questions[3]["responses"], json!([right, left, right]));
            assert_eq!(questions[3]["requests"].as_array().unwrap().len(), 4);
            assert_eq!(questions[3]["requests"][1]["0"], json!({ "action": 1 }));
            assert_eq!((&questions[0]["data"], &questions[1]["data"]), (&json!(""), &json!("kept")));
        }
    }

    #[test]
    fn a_bot_keeps_running_unless_it_has_to_start_afresh() {
        let script = format!(
            "while read -r question; do echo \"$question\" >&2; echo '{ANSWER}'; echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'; done"
        );
        let sizes = |mode| {
            let answers = ask(Seat::S0, &mut shell(&script), mode);
            let requests = |question: &Value| question["requests"].as_array().map(Vec::len);
            questions(&answers).iter().map(requests).collect::<Vec<_>>()
        };
        assert_eq!(sizes(RerunMode::AsInMatch), [Some(1), None, None, None]);
        assert_eq!(sizes(RerunMode::Afresh), [Some(1), Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn a_bot_that_failed_starts_again_with_the_recorded_history() {
        // It crashes when it is asked a second time.
        let script = format!(
            "read -r question; echo \"$question\" >&2; echo '{ANSWER}'; echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'; read -r question; exit 3"
        );
        let answers = ask(Seat::S0, &mut shell(&script), RerunMode::AsInMatch);
        let verdicts: Vec<&str> = answers.iter().map(|answer| answer.verdict.name()).collect();
        assert_eq!(verdicts, ["OK", "RE", "OK", "RE"]);
        assert_eq!(actions(&answers)[1], (2, 3, -10));
        let history = &questions(&answers)[2]["responses"];
        assert_eq!((&history[0]["action"], &history[1]["action"]), (&json!(1), &json!(3)));
    }
}
