//! The built-in bots: legality, reproducibility, strength, and decisions in drawn positions.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use pacman2_bots::playout::play_out;
use pacman2_bots::sage::Component;
use pacman2_bots::style::STYLES;
use pacman2_bots::{BUILT_IN, BotConfig, BotConfigError, BotSpec, BuiltIn, Effort};
use pacman2_rules::{Action, BySeat, CellSet, Direction, Game, Maze, MazeSpec, Ruleset, Seat, Square, State, Walls, picture};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Returns a built-in bot. One that uses the clock by default gets a few simulations instead.
fn bot(name: &str) -> BotConfig {
    let bot = BotConfig::new(name.parse().unwrap_or_else(|_| panic!("there is no {name}")));
    if name == "sage" { bot.with_effort(Effort::Simulations(100)).unwrap() } else { bot }
}

/// Returns the decision of a freshly started bot.
fn decide(bot: &BotConfig, game: &Game, seat: Seat, seed: i32) -> Action {
    bot.start()(game, seat, seed)
}

/// Returns the first maps made by Botzone, with their seeds.
fn botzone_maps(most: usize) -> Vec<(i32, Game)> {
    let text = include_str!("../../../maps/fixtures/botzone-maps.txt");
    text.lines().filter(|line| !line.starts_with('#')).take(most).map(read_map).collect()
}

/// Reads `seed width height walls content`, with two hexadecimal digits per cell.
fn read_map(line: &str) -> (i32, Game) {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str| word.parse::<u8>().unwrap();
    let [walls, content] = [words[3], words[4]].map(|digits| {
        let bytes = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        bytes.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect::<Vec<u8>>()
    });
    let squares = walls.into_iter().map(|bits| {
        let mut walls = Walls::NONE;
        Direction::ALL.into_iter().filter(|side| bits >> side.index() & 1 != 0).for_each(|side| walls.insert(side));
        Square { walls, generator: bits & 16 != 0 }
    });
    let settings = Ruleset::default();
    let plan = MazeSpec { width: number(words[1]), height: number(words[2]), squares: squares.collect(), ruleset: settings };
    let maze = Maze::new(&plan).unwrap();
    let with = |bit: u8| maze.cells().zip(&content).filter(move |(_, bits)| *bits & bit != 0).map(|(cell, _)| cell);
    let places = BySeat::from_fn(|seat| with(1 << seat.index()).next().unwrap());
    let start = State::start(&maze, places, with(16).collect::<CellSet>(), with(32).collect::<CellSet>());
    (words[0].parse().unwrap(), Game::new(maze, start))
}

/// Plays a game for at most `turns` turns and passes each decision to `watch`.
fn play(game: &mut Game, seed: i32, bots: [&BotConfig; 4], turns: u32, mut watch: impl FnMut(&Game, Seat, Action)) {
    let mut minds = bots.map(BotConfig::start);
    while !game.is_over() && game.state().turn < turns {
        let actions = BySeat::from_fn(|seat| match game.state().alive.contains(seat) {
            true => {
                let action = minds[seat.index()](game, seat, seed);
                watch(game, seat, action);
                action
            }
            false => Action::Stay,
        });
        game.play(&actions);
    }
}

// What all of them keep to.

#[test]
fn bots_are_found_by_name() {
    assert_eq!(BUILT_IN.map(|bot| bot.name), ["random", "sample", "greedy", "hunter", "sage"]);
    assert!("Greedy".parse::<BuiltIn>().is_err());
}

#[test]
fn every_action_is_legal() {
    let mut decisions = 0;
    let mut check = |game: &Game, seat: Seat, action: Action| {
        decisions += 1;
        let legal = game.state().legal_actions(game.maze(), seat);
        assert!(legal.contains(&action), "{seat}: {action:?}\n{}", picture::write(game.maze(), game.state()));
    };
    let bots = BUILT_IN.map(|built_in| bot(built_in.name));
    let [random, sample, greedy, hunter, sage] = &bots;
    for (seed, map) in botzone_maps(150) {
        play(&mut map.clone(), seed, [random, greedy, greedy, random], 100, &mut check);
        play(&mut map.clone(), seed + 1000, [greedy, random, random, random], 100, &mut check);
    }
    for (seed, mut map) in botzone_maps(4) {
        play(&mut map.clone(), seed, [sample, random, sample, greedy], 20, &mut check);
        play(&mut map.clone(), seed, [hunter, random, hunter, greedy], 100, &mut check);
        play(&mut map, seed, [sage, random, sage, greedy], 100, &mut check);
    }
    assert!(decisions > 30_000, "{decisions}");
}

/// Styles restarted in every turn decide as those that keep running, and all do something else.
#[test]
fn styles_are_legal_and_reproducible() {
    let greedy = bot("greedy");
    let mut games: HashMap<Vec<Action>, &str> = HashMap::new();
    for style in &STYLES {
        let styled = BotConfig::new("style".parse().unwrap()).with_style(style).unwrap();
        let mut decisions = Vec::new();
        let (maps, turns) = if style.searches() || style.name.contains("playouts") { (1, 12) } else { (4, 100) };
        for (seed, mut map) in botzone_maps(maps) {
            play(&mut map, seed, [&styled, &greedy, &styled, &greedy], turns, |game, seat, action| {
                let legal = game.state().legal_actions(game.maze(), seat);
                assert!(legal.contains(&action), "{}, {seat}: {action:?}", style.name);
                if seat.index() % 2 == 0 {
                    assert_eq!(decide(&styled, game, seat, seed), action, "{}, {seat}", style.name);
                    decisions.push(action);
                }
            });
        }
        assert!(decisions.len() >= 10, "{}: {}", style.name, decisions.len());
        if let Some(same) = games.insert(decisions, style.name) {
            panic!("{} plays like {same}", style.name);
        }
    }
    assert!((40..=100).contains(&games.len()), "{}", games.len());
}

#[test]
fn a_style_is_named() {
    let error = |text: &str| text.parse::<BotSpec>().err().expect("rejected").to_string();
    assert_eq!(error("style"), "expected the name of a style, such as \"style sniper\"");
    assert!(
        error("style snipper").starts_with("unknown style \"snipper\"; did you mean sniper? expected one of fruit-first, plain,")
    );
    assert_eq!(error("style sniper --time 5"), "style does not simulate: it takes neither a number of simulations nor a time");
    assert_eq!(error("greedy sniper"), "unknown option \"sniper\"; expected --simulations, --time, --threads, --without, --net");
    assert_eq!("style  'sniper'".parse::<BotSpec>().unwrap().to_string(), "style sniper");
    let greedy = BotConfig::new("greedy".parse().unwrap());
    assert_eq!(greedy.with_style(&STYLES[0]).err(), Some(BotConfigError::NoStyles { name: "greedy" }));
}

#[test]
fn decisions_are_reproducible() {
    for BuiltIn { name, at_once, .. } in BUILT_IN {
        let bot = bot(name);
        let (maps, turns) = if at_once { (20, 100) } else { (2, 10) };
        for (seed, map) in botzone_maps(maps) {
            let check_equal = |[one, other]: [Vec<(Seat, Action)>; 2]| assert_eq!(one, other, "{name}, seed {seed}");
            check_equal([(); 2].map(|()| {
                let mut decisions = Vec::new();
                play(&mut map.clone(), seed, [&bot; 4], turns, |_, seat, action| decisions.push((seat, action)));
                decisions
            }));
        }
    }
}

/// A freshly started bot decides like one that has played the whole game.
#[test]
fn a_restarted_bot_decides_the_same() {
    for BuiltIn { name, at_once, .. } in BUILT_IN {
        let bot = bot(name);
        let mut minds = BySeat::from_fn(|_| bot.start());
        let (maps, turns) = if at_once { (5, 100) } else { (1, 8) };
        for (seed, start) in botzone_maps(maps) {
            let (mut game, mut history) = (start.clone(), Vec::new());
            while !game.is_over() && game.state().turn < turns {
                let mut afresh = start.clone();
                history.iter().for_each(|actions| drop(afresh.play(actions)));
                let living = |seat| game.state().alive.contains(seat);
                let actions = BySeat::from_fn(|seat| living(seat).then(|| minds[seat](&game, seat, seed)));
                let of_the_fresh = BySeat::from_fn(|seat| living(seat).then(|| decide(&bot, &afresh, seat, seed)));
                assert_eq!(actions, of_the_fresh, "{name}, seed {seed}, turn {}", game.state().turn);
                let actions = actions.map(Option::unwrap_or_default);
                game.play(&actions);
                history.push(actions);
            }
        }
    }
}

/// An agent does not carry what it learned into another match.
#[test]
fn agents_are_independent() {
    let sage = bot("sage");
    let [(_, one), (_, other)] = botzone_maps(2).try_into().unwrap();
    let mut mind = sage.start();
    for (game, seat) in [(&one, Seat::S0), (&other, Seat::S2), (&one, Seat::S0)] {
        assert_eq!(mind(game, seat, 3), decide(&sage, game, seat, 3));
    }
}

// How much they think.

#[test]
fn only_simulating_bots_take_an_effort() {
    for BuiltIn { name, .. } in BUILT_IN {
        for effort in [Effort::Simulations(5), Effort::Time(Duration::from_millis(5))] {
            let refusal = bot(name).with_effort(effort).err();
            let expected = (!["sample", "sage"].contains(&name)).then_some(BotConfigError::DoesNotSimulate { name });
            assert_eq!(refusal, expected, "{name}");
        }
        let refusal = bot(name).without(Component::Net).err();
        assert_eq!(refusal, (name != "sage").then_some(BotConfigError::DoesNotSearch { name }));
    }
}

#[test]
fn sample_plays_the_given_number_of_games() {
    let ((seed, map), sample) = (botzone_maps(1).remove(0), bot("sample"));
    let thinking = |effort| sample.clone().with_effort(effort).unwrap();
    let actions = |bot: &BotConfig| (0..20).map(|more| decide(bot, &map, Seat::S1, seed + more)).collect::<Vec<_>>();
    // The default is 1000. With one game, its first action is all that the bot knows.
    assert_eq!(actions(&thinking(Effort::Simulations(1000))), actions(&sample));
    assert_ne!(actions(&thinking(Effort::Simulations(1))), actions(&sample));
    // It plays at least one game.
    assert_eq!(actions(&thinking(Effort::Time(Duration::ZERO))), actions(&thinking(Effort::Simulations(1))));
}

#[test]
fn bots_with_a_time_limit_keep_it() {
    let map = &botzone_maps(1).remove(0).1;
    for name in ["sample", "sage"] {
        let hurried = bot(name).with_effort(Effort::Time(Duration::from_millis(2))).unwrap();
        let action = decide(&hurried, map, Seat::S3, 1);
        assert!(map.state().legal_actions(map.maze(), Seat::S3).contains(&action), "{name}: {action}");
    }
}

#[test]
fn leaving_out_a_component_twice_is_leaving_it_out_once() {
    let map = &botzone_maps(1).remove(0).1;
    let (once, all) = (bot("sage").without(Component::Pruning).unwrap(), Component::ALL);
    let twice = once.clone().without(Component::Pruning).unwrap();
    let none = all.into_iter().fold(bot("sage"), |bot, part| bot.without(part).unwrap());
    for seed in 0..5 {
        assert_eq!(decide(&once, map, Seat::S0, seed), decide(&twice, map, Seat::S0, seed));
        let action = decide(&none, map, Seat::S0, seed);
        assert!(map.state().legal_actions(map.maze(), Seat::S0).contains(&action));
    }
}

#[test]
fn another_seed_gives_another_game() {
    for name in ["random", "greedy"] {
        let ((_, map), bot) = (botzone_maps(1).remove(0), bot(name));
        let ends: Vec<u64> = (0..20)
            .map(|seed| {
                let mut game = map.clone();
                play(&mut game, seed, [&bot; 4], 100, |_, _, _| ());
                game.state().fingerprint()
            })
            .collect();
        assert!(ends.iter().any(|end| *end != ends[0]), "{name}");
    }
}

// How strong they are. All is determined, so it is one measurement, not a chance; the margins are wide all the same.

/// Returns the mean lead of `one` over `other` in points. Each map is played twice, with the diagonals swapped.
fn advantage(one: &str, other: &str, maps: usize) -> f64 {
    let (one, other) = (&bot(one), &bot(other));
    let maps = botzone_maps(maps);
    let mut total = 0;
    for (seed, map) in &maps {
        for (bots, sign) in [([one, other, other, one], [1, -1, -1, 1]), ([other, one, one, other], [-1, 1, 1, -1])] {
            let mut game = map.clone();
            play(&mut game, *seed, bots, 100, |_, _, _| ());
            total += game.scores().0.iter().zip(sign).map(|(score, sign)| sign * score.hundredths).sum::<i64>();
        }
    }
    total as f64 / 100.0 / (4 * maps.len()) as f64
}

#[test]
fn greedy_beats_random() {
    let advantage = advantage("greedy", "random", 100);
    assert!(advantage > 20.0, "{advantage}");
}

#[test]
fn sample_beats_random() {
    let advantage = advantage("sample", "random", 3);
    assert!(advantage > 10.0, "{advantage}");
}

#[test]
fn hunter_beats_greedy() {
    let advantage = advantage("hunter", "greedy", 10);
    assert!(advantage > 5.0, "{advantage}");
}

#[test]
fn sage_beats_hunter() {
    let advantage = advantage("sage", "hunter", 8);
    assert!(advantage > 5.0, "{advantage}");
}

// random.

#[test]
fn random_is_uniform_over_legal_actions() {
    let game = read(
        "
        +   +---+---+
        | 0       1 |
        +---+---+---+
        | 2 | 3     |
        +   +---+---+
        0: 9
        ",
    );
    let legal = game.state().legal_actions(game.maze(), Seat::S0);
    let mut counts = vec![0; legal.len()];
    for seed in 0..9000 {
        let action = decide(&bot("random"), &game, Seat::S0, seed);
        counts[legal.iter().position(|&other| other == action).unwrap()] += 1;
    }
    let expected = 9000 / legal.len();
    assert!(counts.iter().all(|count| (expected * 8 / 10..expected * 12 / 10).contains(count)), "{legal:?} {counts:?}");
}

// Playouts, which are fast, against plain games of the same kind.

/// Returns means over many games per map: turns, survivors, and each seat's strength.
fn means(maps: &[(i32, Game)], mut play_to_end: impl FnMut(&Game, u64) -> State) -> [f64; 6] {
    const GAMES: u64 = 4000;
    let mut sums = [0.0; 6];
    for (_, map) in maps {
        for number in 0..GAMES {
            let end = play_to_end(map, number);
            let [a, b, c, d] = end.strength.0.map(f64::from);
            let values = [f64::from(end.turn), f64::from(end.alive.len() as u32), a, b, c, d];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
    sums.map(|sum| sum / (GAMES * maps.len() as u64) as f64)
}

#[test]
fn playouts_equal_games_between_random_bots() {
    let maps = botzone_maps(5);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let fast = means(&maps, |map, _| play_out(map.maze(), *map.state(), &mut random));
    let plain = means(&maps, |map, number| {
        let mut game = map.clone();
        play(&mut game, number as i32, [&bot("random"); 4], 100, |_, _, _| ());
        *game.state()
    });
    // The standard errors of the differences are about 0.3 for turns and at most 0.1 for the others.
    let differences: Vec<f64> = fast.iter().zip(plain).map(|(fast, plain)| (fast - plain).abs()).collect();
    assert!(differences[0] < 1.0 && differences[1..].iter().all(|&other| other < 0.4), "{fast:?} {plain:?}");
}

#[test]
fn a_playout_of_a_finished_game_changes_nothing() {
    let over = read(
        "
        turn 100/100
        +---+---+
        | 0   1 |
        +---+---+
        | 2   3 |
        +---+---+
        ",
    );
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    assert_eq!(play_out(over.maze(), *over.state(), &mut random), *over.state());
}

// greedy and sample: a picture, and what seat 0 does there, whatever the seed.

fn read(drawn: &str) -> Game {
    let (maze, state) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}\n{drawn}"));
    Game::new(maze, state)
}

/// Checks that over many seeds the bot's actions are exactly `expected`.
#[track_caller]
fn check(name: &str, drawn: &str, expected: &str) {
    let game = read(drawn);
    let mut done: Vec<String> = (0..40).map(|seed| decide(&bot(name), &game, Seat::S0, seed).to_string()).collect();
    done.sort();
    done.dedup();
    assert_eq!(done.join(" or "), expected);
}

#[test]
fn greedy_goes_to_the_nearest_fruit_through_the_maze() {
    // Three steps around the wall are shorter than four along it, although it would be one step through it.
    check(
        "greedy",
        "
        +---+---+---+---+---+---+
        | . | 0               . |
        +   +   +---+---+---+---+
        |       | 1 | 2 | 3 |   |
        +---+---+---+---+---+---+
        ",
        "down",
    );
}

#[test]
fn greedy_goes_around_the_edge() {
    check(
        "greedy",
        "
        +---+---+---+---+---+
          0           .   o
        +---+---+---+---+---+
        | 1 | 2 | 3 |       |
        +---+---+---+---+---+
        ",
        "left",
    );
}

#[test]
fn greedy_takes_any_fruit() {
    check(
        "greedy",
        "
        +---+---+---+---+---+
        |     o   0       . |
        +---+---+---+---+---+
        | 1 | 2 | 3 |       |
        +---+---+---+---+---+
        ",
        "left",
    );
}

#[test]
fn greedy_chooses_randomly_between_equal_paths() {
    check(
        "greedy",
        "
        +---+---+---+---+---+
        |     .   0   .     |
        +---+---+---+---+---+
        | 1 | 2 | 3 |       |
        +---+---+---+---+---+
        ",
        "left or right",
    );
}

#[test]
fn greedy_stays_on_fruit() {
    check(
        "greedy",
        "
        +----+----+----+----+----+
        |      0o        .       |
        +----+----+----+----+----+
        | 1  | 2  | 3  |         |
        +----+----+----+----+----+
        ",
        "stay",
    );
}

#[test]
fn greedy_stays_out_of_reach_of_stronger_players() {
    // The fruit on the right lies next to a stronger player.
    let drawn = "
        +---+---+---+---+---+---+
        | .           0   .   1 |
        +---+---+---+---+---+---+
        | 2 | 3 |               |
        +---+---+---+---+---+---+
        0: 3
        1: 4
        ";
    check("greedy", drawn, "left");
    check("greedy", &drawn.replace("1: 4", "1: 3"), "right");
}

#[test]
fn greedy_walks_around_danger_even_if_it_is_farther() {
    check(
        "greedy",
        "
        +---+---+---+---+---+---+---+
        |     0           1       . |
        +   +---+---+---+---+---+   +
        |                           |
        +---+---+---+---+---+---+---+
        | 2 | 3 |                   |
        +---+---+---+---+---+---+---+
        1: 9
        ",
        "left",
    );
}

/// Returns a game in a single corridor, wound through the largest maze. Seat 0 can walk on to a fruit `steps` away, or turn back to a
/// fruit next to a stronger player.
fn corridor(steps: usize) -> Game {
    const HERE: usize = 8;
    let place = |number: usize| match (number / 11, number % 11) {
        (row, along) if row % 2 == 0 => (row, along),
        (row, along) => (row, 10 - along),
    };
    let mut squares = vec![Square { walls: Walls::ALL, generator: false }; 121];
    let mut open = |from: usize, to: usize| {
        let ((row, col), (next_row, next_col)) = (place(from), place(to));
        let way = match (next_row.cmp(&row), next_col.cmp(&col)) {
            (Ordering::Less, _) => Direction::Up,
            (Ordering::Greater, _) => Direction::Down,
            (_, Ordering::Less) => Direction::Left,
            _ => Direction::Right,
        };
        let has_wall = |side| squares[11 * row + col].walls.contains(side);
        let mut walls = Walls::NONE;
        Direction::ALL.into_iter().filter(|&side| side != way && has_wall(side)).for_each(|side| walls.insert(side));
        squares[11 * row + col].walls = walls;
    };
    (HERE..HERE + steps).for_each(|number| open(number, number + 1));
    open(HERE, HERE - 1);
    open(HERE - 1, HERE - 2);
    open(HERE - 3, HERE - 2);
    let maze = Maze::new(&MazeSpec { width: 11, height: 11, squares, ruleset: Ruleset::default() }).unwrap();
    let cell = |number: usize| {
        let (row, col) = place(number);
        maze.cell(row, col).unwrap()
    };
    let fruit = [cell(HERE - 2), cell(HERE + steps)].into_iter().collect();
    let mut state = State::start(&maze, BySeat([HERE, HERE - 3, 0, 1].map(cell)), fruit, CellSet::EMPTY);
    state.strength[Seat::S1] = 2;
    Game::new(maze, state)
}

#[test]
fn greedy_accepts_danger_if_it_saves_more_than_a_hundred_steps() {
    // Left leads to danger, right along the corridor. From the next cell it is one step through danger, or the length of the corridor
    // minus one.
    for (steps, expected) in [(5, Direction::Right), (101, Direction::Right), (103, Direction::Left)] {
        for seed in 0..10 {
            assert_eq!(
                decide(&bot("greedy"), &corridor(steps), Seat::S0, seed),
                Action::Move(expected),
                "{steps} steps, seed {seed}"
            );
        }
    }
}

#[test]
fn greedy_does_not_share_a_cell() {
    // Players that share a cell eat nothing there, so it waits next to it.
    check(
        "greedy",
        "
        +----+----+----+----+----+----+
        | .               0    1.     |
        +----+----+----+----+----+----+
        | 2  | 3  |                   |
        +----+----+----+----+----+----+
        ",
        "stay",
    );
}

#[test]
fn greedy_waits_where_fruit_will_spawn() {
    check(
        "greedy",
        "
        +---+---+---+---+---+
        | 0         | G |   |
        +---+---+---+---+---+
        | 1 | 2 | 3 |       |
        +---+---+---+---+---+
        ",
        "right",
    );
}

#[test]
fn greedy_never_shoots() {
    let shoots = |action: Action| matches!(action, Action::Shoot(_));
    for (seed, mut map) in botzone_maps(20) {
        play(&mut map, seed, [&bot("greedy"); 4], 100, |_, _, action| assert!(!shoots(action)));
    }
}

#[test]
fn sample_shoots_if_that_is_best_also_to_the_left() {
    // It is the last turn and no one can escape. The wiki's program never considers the last of its nine actions.
    for (drawn, expected) in [("| 1   0 |", "shoot left"), ("| 0   1 |", "shoot right")] {
        let drawn = format!(
            "
            turn 99/100
            +---+---+
            {drawn}
            +---+---+
            | 2 | 3 |
            +---+---+
            0: 6
            1: 7
            "
        );
        check("sample", &drawn, expected);
    }
}

#[test]
fn sample_takes_the_first_of_equal_actions() {
    check(
        "sample",
        "
        turn 99/100
        +---+---+---+
        | 0         |
        +---+---+---+
        | 1 | 2 | 3 |
        +---+---+---+
        ",
        "stay",
    );
}

#[test]
fn sample_eats_in_the_last_turn() {
    check(
        "sample",
        "
        turn 99/100
        +---+---+---+
        | .   0     |
        +---+---+---+
        | 1 | 2 | 3 |
        +---+---+---+
        ",
        "left",
    );
}
