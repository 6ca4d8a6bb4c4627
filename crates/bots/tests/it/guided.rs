//! The search of `sage` with leaves that are evaluated elsewhere.

use pacman2_bots::sage::{GuidedSearch, LeafEvaluation, SearchResult};
use pacman2_rules::{Action, Game, Seat, State, picture};

const FIELD: &str = "
    turn 90/100, fruit in 3/8
    +---+---+---+---+---+---+---+
    | 0   .       .   .       . |
    +   +---+   +   +   +---+   +
    | .   G   o     |     G   . |
    +   +   +   +   +   +   +   +
    |     2   .       . | 1     |
    +   +   +---+   +   +   +   +
    | .       .   G   o       . |
    +   +   +   +   +   +---+   +
    | .   .       .   3   .   . |
    +---+---+---+---+---+---+---+
    0: 3
    1: 5
    2: 7
    3: 9
";

fn game() -> Game {
    let (maze, state) = picture::read(FIELD).expect("it is a picture");
    Game::new(maze, state)
}

fn strengths(state: &State) -> [f32; 4] {
    state.strength.0.map(|strength| strength as f32)
}

/// All actions are equally likely, and strengths stay as they are.
fn simple(state: &State) -> LeafEvaluation {
    LeafEvaluation { logits: [[0.0; 9]; 4], values: strengths(state) }
}

fn search(simulations: u32) -> GuidedSearch {
    let game = game();
    GuidedSearch::new(game.maze().clone(), *game.state(), simulations, 2.0, strengths)
}

/// Runs a search with up to `most` leaves at a time. Returns what it found and the number of leaves.
fn run(mut search: GuidedSearch, most: usize, evaluate: impl Fn(&State) -> LeafEvaluation) -> (SearchResult, usize) {
    let mut count = 0;
    loop {
        let leaves: Vec<State> = search.select(most).iter().map(|leaf| leaf.state).collect();
        if leaves.is_empty() {
            return (search.result(), count);
        }
        assert!(leaves.len() <= most);
        count += leaves.len();
        search.evaluate(&leaves.iter().map(&evaluate).collect::<Vec<_>>());
    }
}

#[test]
fn every_simulation_is_counted_with_the_value_of_its_leaf() {
    for most in [1, 3, 16] {
        let (found, leaves) = run(search(300), most, simple);
        assert_eq!(found.simulations, 300);
        assert!(leaves <= 301, "{leaves} leaves");
        for seat in Seat::ALL {
            let visits: u32 = found.options[seat].iter().map(|option| option.visits).sum();
            let sum: f32 = found.options[seat].iter().map(|option| option.points * option.visits as f32).sum();
            assert_eq!(visits, 300);
            assert!((sum / 300.0 - found.points[seat]).abs() < 1e-3, "{seat}: {sum} {}", found.points[seat]);
        }
    }
}

#[test]
fn values_that_are_all_the_same_are_what_is_found() {
    // Whatever stood for a value before its leaf was evaluated is gone.
    let (found, _) = run(search(200), 8, |_| LeafEvaluation { logits: [[0.0; 9]; 4], values: [40.0, 30.0, 20.0, 10.0] });
    let is_close = |points: f32, value: f32| (points - value).abs() < 1e-3;
    for (seat, value) in Seat::ALL.into_iter().zip([40.0, 30.0, 20.0, 10.0]) {
        assert!(is_close(found.points[seat], value), "{:?}", found.points);
    }
}

#[test]
fn leaves_follow_their_lines() {
    let mut search = search(120);
    loop {
        let leaves: Vec<State> = search.select(6).iter().map(|leaf| leaf.state).collect();
        if leaves.is_empty() {
            return;
        }
        for (index, leaf) in leaves.iter().enumerate() {
            let mut game = game();
            for actions in search.line(index) {
                game.play(&actions);
            }
            assert_eq!(game.state(), leaf);
        }
        search.evaluate(&leaves.iter().map(simple).collect::<Vec<_>>());
    }
}

#[test]
fn logits_and_noise_are_the_priors_of_legal_actions() {
    let game = game();
    let legal = game.state().legal_actions(game.maze(), Seat::S2);
    let favourite = *legal.last().expect("there is one");
    let index = favourite.index().expect("it is legal");
    let visits = |found: &SearchResult, action: Action| {
        found.options[Seat::S2].iter().find(|option| option.action == action).map_or(0, |option| option.visits)
    };
    let biased = |state: &State| {
        let mut evaluation = simple(state);
        evaluation.logits[2] = [f32::NEG_INFINITY; 9];
        evaluation.logits[2][index] = 0.0;
        evaluation.values = [0.0; 4];
        evaluation
    };
    let (found, _) = run(search(50), 4, biased);
    assert_eq!(visits(&found, favourite), 50);
    // With noise alone as the prior, another action is preferred.
    let mut noise = [[1.0; 9]; 4];
    noise[2] = [0.0; 9];
    noise[2][0] = 1.0;
    let (found, _) = run(search(50).with_noise(1.0, noise), 4, biased);
    assert_eq!(visits(&found, Action::Stay), 50);
    assert_eq!(found.options[Seat::S2].len(), legal.len());
}
