//! `sage`: decisions in drawn positions, search results, and the net.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::{Net, NetError, WEIGHTS};
use pacman2_bots::policy_net::{POLICY_WEIGHTS, PolicyNet};
use pacman2_bots::sage::{Component, Sage, SearchResult};
use pacman2_bots::{Effort, evaluation};
use pacman2_rules::{Action, BySeat, Game, Seat, picture, scores};

fn read(drawn: &str) -> Game {
    let (maze, state) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}\n{drawn}"));
    Game::new(maze, state)
}

fn sage(simulations: u32) -> Sage {
    Sage::new(Effort::Simulations(simulations))
}

fn search(sage: &mut Sage, game: &Game, own: Option<Seat>) -> SearchResult {
    sage.search(game, own, 1, || true)
}

/// Checks that seat 0 chooses this action for all seeds.
#[track_caller]
fn check(drawn: &str, expected: &str) {
    let game = read(drawn);
    let mut done: Vec<String> = (0..5).map(|seed| sage(10_000).decide(&game, Seat::S0, seed).to_string()).collect();
    done.sort();
    done.dedup();
    assert_eq!(done.join(" or "), expected);
}

/// Seat 0 is nearer to the first of two fruits; the other players are far from both.
const FIELD: &str = "
    turn 50/100
    +---+---+---+---+---+
    | .   0       .     |
    +   +---+---+---+   +
    |                   |
    +---+---+---+---+---+
    | 1 | 2   .   3     |
    +---+---+---+---+---+
    ";

// What it does.

#[test]
fn it_shoots_players_that_cannot_escape() {
    check(
        "
        turn 50/100
        +---+---+---+---+---+
        | 0           1     |
        +---+---+---+---+---+
        | 2 | 3 |           |
        +---+---+---+---+---+
        0: 9
        1: 9
        2: 9
        3: 9
        ",
        "shoot right",
    );
}

#[test]
fn it_finds_the_longer_path_that_is_worth_more() {
    // One step to the left is a dead end with one fruit. Three steps to the right are four fruits, and the game is short.
    check(
        "
        turn 94/100
        +---+---+---+---+---+---+---+---+
        | .   0           .   .   .   . |
        +---+---+---+---+---+---+---+---+
        | 1 | 2 | 3 |                   |
        +---+---+---+---+---+---+---+---+
        1: 3
        2: 3
        3: 3
        ",
        "right",
    );
}

#[test]
fn it_plays_the_last_turn_exactly() {
    // One fruit makes it the strongest; nothing after the end counts.
    check(
        "
        turn 99/100
        +---+---+---+---+---+
        | .   0       .   . |
        +---+---+---+---+---+
        | 1 | 2 | 3 |       |
        +---+---+---+---+---+
        0: 3
        1: 3
        2: 3
        3: 3
        ",
        "left",
    );
}

#[test]
fn a_single_sensible_action_needs_no_search() {
    let game = read(
        "
        turn 50/100
        +---+---+---+---+
        | 0 | . | 1   . |
        +---+---+---+---+
        | 2   . | 3   . |
        +---+---+---+---+
        ",
    );
    let begin = Instant::now();
    assert_eq!(Sage::new(Effort::Time(Duration::from_secs(3600))).decide(&game, Seat::S0, 1), Action::Stay);
    assert!(begin.elapsed() < Duration::from_secs(60));
}

// Search results.

#[test]
fn analysis_examines_every_legal_action_of_all_seats() {
    let game = read(FIELD);
    let result = search(&mut sage(3000), &game, None);
    assert_eq!(result.simulations, 3000);
    for seat in Seat::ALL {
        let options = &result.options[seat];
        let actions: Vec<Action> = options.iter().map(|option| option.action).collect();
        assert_eq!(actions, game.state().legal_actions(game.maze(), seat));
        assert_eq!(options.iter().map(|option| option.visits).sum::<u32>(), 3000);
        let mean: f32 = options.iter().map(|option| option.points * option.visits as f32).sum::<f32>() / 3000.0;
        assert!((mean - result.points[seat]).abs() < 0.1, "{mean} {:?}", result.points);
        for option in options {
            // 3000 / 16 simulations begin with the least tried action, a quarter of them for each seat.
            assert!(option.visits as usize >= 3000 / 64 / options.len() && option.error.is_finite(), "{option:?}");
            assert_eq!(option.pv[0][seat], option.action);
            let mut later = game.clone();
            option.pv.iter().for_each(|actions| assert!(later.play(actions).is_some(), "{:?}", option.pv));
        }
    }
}

#[test]
fn dead_players_have_no_options() {
    let game = read(
        "
        turn 50/100
        +---+---+---+---+
        | 0   .   1   . |
        +---+---+---+---+
        | 2   . |     . |
        +---+---+---+---+
        3: 5 dead at 1,2
        ",
    );
    let result = search(&mut sage(100), &game, None);
    assert!(result.options[Seat::S3].is_empty() && !result.options[Seat::S2].is_empty());
    assert!(result.points[Seat::S3] > 0.0);
}

#[test]
fn before_the_last_turn_the_value_equals_the_scores() {
    // All players are walled in, so nothing can change.
    let game = read(
        "
        turn 98/100
        +---+---+
        | 0 | 1 |
        +---+---+
        | 2 | 3 |
        +---+---+
        0: 4
        1: 3
        2: 2
        3: 1
        ",
    );
    let result = search(&mut sage(50), &game, None);
    let exact = scores(&game.state().strength).map(|score| score.hundredths as f32 / 100.0);
    for seat in Seat::ALL {
        let stay = &result.options[seat][0];
        assert!((stay.points - exact[seat]).abs() < 0.01, "{stay:?} {exact:?}");
    }
    let without = search(&mut sage(1).without(Component::LastTurn), &game, None);
    assert!((without.points[Seat::S0] - exact[Seat::S0]).abs() > 0.1, "an evaluation does not know it exactly");
}

#[test]
fn a_search_can_be_stopped() {
    let mut asked = 0;
    let result = Sage::new(Effort::Time(Duration::from_secs(3600))).search(&read(FIELD), None, 1, || {
        asked += 1;
        asked < 10
    });
    assert_eq!(asked, 10);
    assert!(result.simulations > 0 && result.simulations < 10_000, "{}", result.simulations);
}

#[test]
fn it_uses_its_time() {
    let begin = Instant::now();
    let result = Sage::new(Effort::Time(Duration::from_millis(50))).search(&read(FIELD), None, 1, || true);
    assert!(begin.elapsed() >= Duration::from_millis(50) && result.simulations > 0);
}

#[test]
fn an_agent_can_play_another_game_on_the_same_map() {
    let mut sage = sage(50);
    let (start, mut played) = (read(FIELD), read(FIELD));
    let first = search(&mut sage, &start, Some(Seat::S0));
    for _ in 0..3 {
        played.play(&BySeat([Action::Stay; 4]));
    }
    search(&mut sage, &played, Some(Seat::S0));
    assert_eq!(search(&mut sage, &start, Some(Seat::S0)), first);
}

/// Returns how often a seat chose an action in the simulations.
fn share_of(seat: Seat, action: Action, sage: &mut Sage, game: &Game) -> f64 {
    let result = search(sage, game, Some(Seat::S0));
    let visits = result.options[seat].iter().find(|option| option.action == action).map_or(0, |option| option.visits);
    f64::from(visits) / f64::from(result.simulations)
}

#[test]
fn it_learns_how_opponents_play() {
    // The others stand still, although there is fruit. With the model, the search expects them to go on like that more often.
    let mut game = read(FIELD);
    for _ in 0..12 {
        game.play(&BySeat([Action::Stay; 4]));
    }
    for seat in [Seat::S2, Seat::S3] {
        let with = share_of(seat, Action::Stay, &mut sage(1000), &game);
        let without = share_of(seat, Action::Stay, &mut sage(1000).without(Component::OpponentModel), &game);
        assert!(with > 3.0 * without, "{seat:?}: {with} {without}");
    }
}

// Threads.

#[test]
fn threads_divide_the_simulations_and_add_up_what_they_found() {
    let game = read(FIELD);
    let with = |threads: usize| search(&mut sage(4001).with_threads(threads), &game, Some(Seat::S0));
    assert_eq!(with(1), search(&mut sage(4001), &game, Some(Seat::S0)));
    for threads in [2, 3] {
        let found = with(threads);
        assert_eq!(found.simulations, 4001);
        for seat in Seat::ALL {
            let options = &found.options[seat];
            assert_eq!(options.iter().map(|option| option.visits).sum::<u32>(), 4001, "{seat:?}");
            let mean: f64 =
                options.iter().map(|option| f64::from(option.visits) * f64::from(option.points)).sum::<f64>() / 4001.0;
            assert!((mean - f64::from(found.points[seat])).abs() < 0.01, "{seat:?}: {mean} {}", found.points[seat]);
            assert!(options.iter().all(|option| option.visits == 0 || !option.pv.is_empty()), "{options:?}");
        }
        assert_eq!(with(threads), found, "it does not depend on the speed of the threads");
    }
    // Half of the simulations twice give about the same standard errors as all of them.
    let [one, two] = [1, 2].map(|threads| {
        let options = &with(threads).options[Seat::S0];
        options.iter().max_by_key(|option| option.visits).expect("there are actions").clone()
    });
    assert_eq!(one.action, two.action);
    assert!((0.7..1.4).contains(&(two.error / one.error)), "{one:?} {two:?}");
}

#[test]
fn threads_stop_at_the_end_of_the_time_and_when_told_to() {
    let game = read(FIELD);
    let mut timed = Sage::new(Effort::Time(Duration::from_millis(20))).with_threads(3);
    let begin = Instant::now();
    assert!(timed.search(&game, Some(Seat::S0), 1, || true).simulations > 3);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let mut calls = 0;
    let stopped = sage(u32::MAX).with_threads(3).search(&game, None, 1, || {
        calls += 1;
        calls < 3
    });
    assert!(stopped.simulations < u32::MAX / 2);
}

// The net.

#[test]
fn a_net_of_zeros_equals_the_hand_made_evaluation() {
    let game = read(FIELD);
    let tables = DistanceTables::new(game.maze());
    let zeros = Net::from_weights(&[0.0; WEIGHTS]);
    let judged = zeros.evaluate(&tables, game.maze(), game.state());
    let by_hand = evaluation::evaluate(&tables, game.maze(), game.state());
    for (judged, by_hand) in judged.into_iter().zip(by_hand) {
        assert!((judged - by_hand).abs() < 1e-4, "{judged} {by_hand}");
    }
}

#[test]
fn the_built_in_net_distinguishes_positions() {
    let net = Net::built_in();
    let judge = |drawn: &str| {
        let game = read(drawn);
        net.evaluate(&DistanceTables::new(game.maze()), game.maze(), game.state())
    };
    let (here, there) = (judge(FIELD), judge(&format!("{FIELD}    0: 9\n")));
    assert!(there[0] > here[0] + 5.0, "{here:?} {there:?}");
    let by_hand = Net::from_weights(&[0.0; WEIGHTS]);
    assert_ne!(net, by_hand);
    for points in [here, there] {
        assert!(points.iter().all(|points| (10.0..150.0).contains(points)), "{points:?}");
    }
}

#[test]
fn weights_round_trip() {
    let net = Net::from_weights(&std::array::from_fn(|place| (place as f32).sin()));
    let bytes = net.write("by hand\nand in two lines");
    assert_eq!(Net::read(&bytes), Ok(net));
    assert!(String::from_utf8_lossy(&bytes).starts_with("pacman2 net, version 1, 32-32-16-1\nby hand and in two lines\n"));
}

#[test]
fn invalid_weights_files_are_rejected() {
    const HEADER: &str = "pacman2 net, version 1, 32-32-16-1";
    let good = Net::from_weights(&[0.5; WEIGHTS]).write("a test");
    let numbers = good.len() - 4 * WEIGHTS;
    assert_eq!(Net::read(b""), Err(NetError::Header(HEADER)));
    assert_eq!(Net::read(&good[1..]), Err(NetError::Header(HEADER)));
    assert_eq!(Net::read(&good[..30]), Err(NetError::Header(HEADER)));
    assert_eq!(
        Net::read(&String::from_utf8_lossy(&good).replace("version 1", "version 2").into_bytes()),
        Err(NetError::Header(HEADER))
    );
    assert_eq!(Net::read(&good[..good.len() - 1]), Err(NetError::Length { expected: 4 * WEIGHTS, found: 4 * WEIGHTS - 1 }));
    assert_eq!(Net::read(&[&good[..], &[0]].concat()), Err(NetError::Length { expected: 4 * WEIGHTS, found: 4 * WEIGHTS + 1 }));
    for not_finite in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut bad = good.clone();
        bad[numbers + 4 * 77..][..4].copy_from_slice(&not_finite.to_le_bytes());
        assert_eq!(Net::read(&bad), Err(NetError::NotFinite { index: 77, weights: WEIGHTS }));
    }
    assert_eq!(NetError::Length { expected: 8, found: 3 }.to_string(), "expected 8 bytes of weights, got 3");
}

#[test]
fn a_policy_net_is_read_only_from_its_own_files() {
    let policy = PolicyNet::built_in();
    let bytes = policy.write("a test");
    assert_eq!(PolicyNet::read(&bytes).as_ref(), Ok(&*policy));
    assert!(matches!(PolicyNet::read(&Net::built_in().write("a test")), Err(NetError::Header(_))));
    let cut = PolicyNet::read(&bytes[..bytes.len() - 4]);
    assert_eq!(cut, Err(NetError::Length { expected: 4 * POLICY_WEIGHTS, found: 4 * POLICY_WEIGHTS - 4 }));
    assert!((policy.shares().iter().sum::<f32>() - 1.0).abs() < 1e-3);
}

#[test]
fn another_policy_net_searches_differently() {
    let game = read(FIELD);
    let uniform = PolicyNet::from_weights(&[0.0; POLICY_WEIGHTS]);
    let other = search(&mut sage(300).with_policy(Arc::new(uniform)), &game, None);
    assert_ne!(other, search(&mut sage(300), &game, None));
}

#[test]
fn another_net_decides_differently() {
    let game = read(FIELD);
    let odd = Net::from_weights(&std::array::from_fn(|place| ((place * place) as f32).sin()));
    let usual = search(&mut sage(300), &game, None);
    let other = search(&mut sage(300).with_net(Arc::new(odd)), &game, None);
    let by_hand = search(&mut sage(300).without(Component::Net), &game, None);
    assert!(usual.points != other.points && usual.points != by_hand.points);
}
