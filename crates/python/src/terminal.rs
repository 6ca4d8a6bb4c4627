//! Writes a position as coloured text, in the colours of `pacman2 play`.

use std::fmt::Write;

use pacman2_rules::{BySeat, Game, Seat, picture};

/// The ANSI colours of the four players.
const SEATS: BySeat<u8> = BySeat([91, 92, 94, 95]);
const SMALL_FRUIT: u8 = 33;
const LARGE_FRUIT: u8 = 93;
const GENERATOR: u8 = 32;
const GREY: u8 = 90;

/// Returns the turn, the field and a line for each player.
pub(crate) fn write(game: &Game) -> String {
    let (maze, state) = (game.maze(), game.state());
    let mut text = format!("turn {}/{}, fruit in {}\n", state.turn, maze.ruleset().turn_limit, state.generator_turns_left,);
    push_field(&mut text, &picture::field(maze, state));
    for seat in Seat::ALL {
        let player = state.player(seat);
        let colour = if player.alive { SEATS[seat] } else { GREY };
        let _ = write!(text, "\x1b[{colour}m{seat}: {}", player.strength);
        if player.boost_turns_left > 0 {
            let _ = write!(text, " +{}", player.boost_turns_left);
        }
        text.push_str(if player.alive { "\x1b[0m\n" } else { " dead\x1b[0m\n" });
    }
    text
}

/// Appends the field. Adjacent symbols of one colour share one escape sequence; spaces take any colour.
fn push_field(text: &mut String, field: &str) {
    let mut current = None;
    for symbol in field.chars() {
        let next = if symbol == '\n' { None } else { Some(colour(symbol)).filter(|_| symbol != ' ').or(current) };
        if next != current {
            text.push_str(if current.is_some() { "\x1b[0m" } else { "" });
            if let Some(colour) = next {
                let _ = write!(text, "\x1b[{colour}m");
            }
            current = next;
        }
        text.push(symbol);
    }
}

fn colour(symbol: char) -> u8 {
    match symbol {
        '0'..='3' => SEATS.0[symbol as usize - '0' as usize],
        '.' => SMALL_FRUIT,
        'o' => LARGE_FRUIT,
        'G' => GENERATOR,
        _ => GREY,
    }
}
