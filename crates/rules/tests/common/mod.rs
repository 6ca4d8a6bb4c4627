//! Shared helpers. A test is a picture, some actions, and a picture; only this file knows how they are played.
//!
//! - A picture is what `pacman2_rules::picture` reads. In the expected picture, parts of the first line may be missing and are
//!   then not compared.
//! - Actions name the players that do not stay: `"0: right, 2: shoot left"`. Turns are separated by `;`, and `9 turns` are nine
//!   turns in which everyone stays.

pub(crate) mod symmetry;
pub(crate) mod traces;

use std::fmt::Write as _;

use pacman2_rules::{Action, BySeat, Cause, Cell, Event, Fruit, Game, Maze, Report, Seat, SeatSet, State, picture, scores};

/// Plays the turns and compares the position with a picture. The game must go on.
#[track_caller]
pub(crate) fn check(before: &str, turns: &str, after: &str) {
    let game = play(before, turns);
    assert!(!game.is_over(), "the game has ended\n{}", picture::write(game.maze(), game.state()));
    compare(before, turns, after, &game);
}

/// The same for turns of which the last must end the game.
#[track_caller]
pub(crate) fn check_end(before: &str, turns: &str, after: &str) {
    let game = play(before, turns);
    assert!(game.is_over(), "the game goes on\n{}", picture::write(game.maze(), game.state()));
    compare(before, turns, after, &game);
}

/// The same, whether or not the game has ended.
#[track_caller]
pub(crate) fn check_position(before: &str, turns: &str, after: &str) {
    compare(before, turns, after, &play(before, turns));
}

/// Plays the turns, takes them all back, and checks each earlier position, and that there is none before the first.
#[track_caller]
pub(crate) fn check_undo(before: &str, turns: &str) {
    let mut game = start(before);
    let mut earlier = Vec::new();
    for actions in read_turns(turns) {
        earlier.push(*game.state());
        assert!(play_turn(&mut game, &actions).is_some(), "the game is over before \"{turns}\" are all played");
    }
    while let Some(state) = earlier.pop() {
        assert!(game.undo());
        let (want, got) = (picture::write(game.maze(), &state), picture::write(game.maze(), game.state()));
        assert!(*game.state() == state, "\nbefore:\n{want}\nplayed and undone:\n{got}");
    }
    assert!(!game.undo(), "there is nothing before the first turn");
}

/// Plays one turn and compares its report with a text: first the events, as [`event_lines`] writes them, then a line for each
/// player that was alive, as [`player_lines`] writes them.
#[track_caller]
pub(crate) fn check_report(before: &str, actions: &str, expected: &str) {
    let mut game = start(before);
    let alive = game.state().alive;
    let [actions] = read_turns(actions)[..] else { panic!("\"{actions}\" are not the actions of one turn") };
    let report = play_turn(&mut game, &actions).expect("the game is over before it begins");
    let got = event_lines(game.maze(), &report) + &player_lines(alive, &report);
    let expected: String =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    assert!(got == expected, "\nexpected:\n{expected}\ngot:\n{got}");
}

/// Compares the scores for these strengths with a text: `RANK SCORE` for each seat.
#[track_caller]
pub(crate) fn check_scores(strength: [i32; 4], want: [&str; 4]) {
    let got = scores(&BySeat(strength)).map(|score| format!("{} {score}", score.rank));
    assert_eq!(got.0, want, "the scores for {strength:?}");
}

/// Plays the turns from a picture. The game must not end before the last.
#[track_caller]
pub(crate) fn play(before: &str, turns: &str) -> Game {
    let mut game = start(before);
    for actions in read_turns(turns) {
        assert!(play_turn(&mut game, &actions).is_some(), "the game is over before \"{turns}\" are all played");
    }
    game
}

/// Plays one turn, and the same turn without an observer, which must lead to the same position.
#[track_caller]
fn play_turn(game: &mut Game, actions: &BySeat<Action>) -> Option<Report> {
    let mut unwatched = *game.state();
    let report = game.play(actions)?;
    let goes_on = unwatched.play(game.maze(), actions, &mut ());
    assert!(unwatched == *game.state(), "the turn differs without an observer");
    assert!(goes_on != game.is_over(), "`play` returns {goes_on}, which contradicts `is_over`");
    Some(report)
}

/// Reads actions, turn by turn.
#[track_caller]
pub(crate) fn read_turns(turns: &str) -> Vec<BySeat<Action>> {
    let mut read = Vec::new();
    for turn in turns.split(';').map(str::trim) {
        if let Some(count) = turn.strip_suffix(" turns") {
            read.extend(vec![BySeat::default(); count.parse().expect("a number of turns")]);
            continue;
        }
        let mut actions = BySeat::default();
        for part in turn.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (seat, action) = part.split_once(": ").unwrap_or_else(|| panic!("\"{part}\" is not of the form SEAT: ACTION"));
            let seat = seat.parse().ok().and_then(Seat::new).unwrap_or_else(|| panic!("unknown seat \"{seat}\""));
            actions[seat] = action.parse().unwrap_or_else(|error| panic!("{error}"));
        }
        read.push(actions);
    }
    read
}

/// Returns the events, a line each; actions only if they were not carried out, since the lines of players have them.
pub(crate) fn event_lines(maze: &Maze, report: &Report) -> String {
    let carried_out = |event: &Event| match *event {
        Event::Acted { seat, action } => report.actions[seat] == Some(action),
        _ => false,
    };
    let mut text = String::new();
    for event in report.events.iter().filter(|event| !carried_out(event)) {
        let _ = writeln!(text, "{}", describe(maze, event));
    }
    text
}

/// Returns a line for each player: the action carried out, the gain in strength, and the flags of Botzone's log.
pub(crate) fn player_lines(seats: SeatSet, report: &Report) -> String {
    let mut text = String::new();
    for seat in seats.iter() {
        let action = report.actions[seat].map_or("no action".to_owned(), |action| action.to_string());
        let _ = write!(text, "{seat}: {action}, {:+}", report.strength_delta[seat]);
        let change = traces::change_bits(report)[seat];
        for (bit, name) in ["ate small", "ate large", "boost counted", "died", "illegal"].iter().enumerate() {
            if change >> bit & 1 != 0 {
                let _ = write!(text, ", {name}");
            }
        }
        text.push('\n');
    }
    text
}

/// Describes an event.
pub(crate) fn describe(maze: &Maze, event: &Event) -> String {
    let at = |cell: Cell| format!("{},{}", maze.row(cell), maze.col(cell));
    match *event {
        Event::Acted { seat, action } => format!("{seat} is to {action}"),
        Event::Frightened { seat, direction, by } => format!("{seat} is frightened from going {direction} by {}", names(by)),
        Event::Moved { seat, from, to, direction } => format!("{seat} goes {direction} from {} to {}", at(from), at(to)),
        Event::Fought { cell, winners, eaten, loot, share } => {
            format!("{} ate {} at {}: loot {loot}, share {share}", names(winners), names(eaten), at(cell))
        }
        Event::Looted { seat, lost } => format!("{seat} is looted of {lost}"),
        Event::Fired { seat, from, direction, cost } => format!("{seat} shoots {direction} from {} for {cost}", at(from)),
        Event::Hit { shooter, victim, shooter_strength, victim_strength } => {
            format!("{shooter} hits {victim}: now {shooter_strength} and {victim_strength}")
        }
        Event::Died { seat, cell, lost, cause } => {
            format!("{seat} dies at {}, losing {lost}: {}", at(cell), describe_cause(cause))
        }
        Event::StrengthReset { seat, gained } => format!("{seat} is reset, gaining {gained}"),
        Event::FruitSpawned { cells } => format!("fruit spawns at {}", cells.iter().map(at).collect::<Vec<_>>().join(" ")),
        Event::Ate { seat, cell, fruit: Fruit::Small, gained } => format!("{seat} eats small fruit at {}: {gained:+}", at(cell)),
        Event::Ate { seat, cell, fruit: Fruit::Large, gained } => format!("{seat} eats large fruit at {}: {gained:+}", at(cell)),
        Event::BoostCounted { seat, turns_left } => format!("{seat} has a boost for {turns_left} more"),
        Event::BoostEnded { seat, lost } => format!("{seat} loses its boost of {lost}"),
        Event::Inherited { seat, fruits } => format!("{seat} inherits {fruits}"),
    }
}

fn describe_cause(cause: Cause) -> String {
    match cause {
        Cause::IllegalAction { action } => format!("illegal action {action}"),
        Cause::Eaten { by } => format!("eaten by {}", names(by)),
        Cause::Light { by } => format!("light of {}", names(by)),
        Cause::BoostEnded => "no boost".to_owned(),
    }
}

fn names(seats: SeatSet) -> String {
    seats.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(" and ")
}

#[track_caller]
fn start(before: &str) -> Game {
    let (maze, state) = read(before);
    Game::new(maze, state)
}

#[track_caller]
fn read(text: &str) -> (Maze, State) {
    picture::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn compare(before: &str, turns: &str, after: &str, game: &Game) {
    let got = picture::write(game.maze(), game.state());
    // Parts missing in the first line of the expected picture come from the game.
    let header = got.lines().next().unwrap_or_default();
    let (maze, state) = read(&format!("{header}\n{after}"));
    let same = maze == **game.maze() && state == *game.state();
    assert!(same, "\nbefore:{before}\nactions: {turns}\n\nexpected:\n{}\ngot:\n{got}", picture::write(&maze, &state));
}
