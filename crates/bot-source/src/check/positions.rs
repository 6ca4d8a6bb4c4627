//! The positions of the check: from games between built-in bots, the same every time.

use pacman2_bots::BuiltIn;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Direction, Maze, Ruleset, Seat, State, picture};

/// The seeds of the maps that are searched for a kind of position.
const MAPS: std::ops::Range<i32> = 1..100;

/// A position for a question, with the turns that led to it.
pub(super) struct Position {
    pub(super) name: &'static str,
    pub(super) map: Map,
    pub(super) turns: Vec<SessionTurn>,
    pub(super) seat: Seat,
}

/// Returns all positions, first turns first.
pub(super) fn all() -> Vec<Position> {
    [
        on(11, 8, 0).first("opening on 11 columns", |_, _, seat| seat.index() == 2),
        on(6, 11, 0).first("opening on 6 columns", |_, _, seat| seat.index() == 1),
        walled_in().map(|map| Position { name: "walled in on all sides", map, turns: Vec::new(), seat: Seat::ALL[0] }),
        on(9, 9, 1).first("second turn", |_, _, seat| seat.index() == 3),
        on(11, 11, 40).first("middle game on 11 columns", strong),
        on(6, 6, 40).first("middle game on 6 columns", strong),
        on(8, 10, 15).first("boosted", |_, state, seat| state.boost_turns_left[seat] > 1),
        on(10, 7, 25).first("with one way out", cornered),
        on(7, 9, FORFEIT + 1).first("after a player's time-out", |_, _, seat| seat.index() == 0),
        on(7, 9, FORFEIT + 15).first("with a dead player", |_, _, seat| seat.index() == 2),
        on(9, 8, 99).first("the last turn", |_, _, _| true),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The number of turns after which a player forfeits, in games that go on long enough.
const FORFEIT: usize = 12;
/// The player that forfeits.
const FORFEITER: Seat = Seat::ALL[3];

/// Returns whether a player can shoot.
fn strong(maze: &Maze, state: &State, seat: Seat) -> bool {
    state.strength[seat] > maze.ruleset().skill_cost
}

/// Returns whether a player can move in one direction only.
fn cornered(maze: &Maze, state: &State, seat: Seat) -> bool {
    Direction::ALL.into_iter().filter(|&side| maze.is_open(state.cells[seat], side)).count() == 1
}

/// Games on maps of this size, up to the position after this number of turns.
struct Games {
    size: MapSize,
    turns: usize,
}

fn on(width: u8, height: u8, turns: usize) -> Games {
    Games { size: MapSize { width: Some(width), height: Some(height) }, turns }
}

impl Games {
    /// Finds the first position in which a living player meets the condition.
    fn first(&self, name: &'static str, condition: impl Fn(&Maze, &State, Seat) -> bool) -> Option<Position> {
        MAPS.into_iter().find_map(|seed| {
            let map = Map::generate(seed, self.size, Ruleset::default()).ok()?;
            let turns = play(&map, self.turns);
            let state = turns.last().map_or(&map.start, |turn| &turn.state);
            if turns.len() < self.turns || state.is_over(&map.maze) {
                return None;
            }
            let seat = state.alive.iter().find(|&seat| condition(&map.maze, state, seat))?;
            Some(Position { name, turns, seat, map })
        })
    }
}

/// Plays this number of turns of a game, or fewer if it is over.
fn play(map: &Map, turns: usize) -> Vec<SessionTurn> {
    let mut session = Session::new(map.clone());
    (0..turns).map_while(|_| session.play(&answers(&session))).collect()
}

/// Returns the answers of built-in bots on all seats.
pub(super) fn answers(session: &Session) -> BySeat<Option<ParsedResponse>> {
    let decide = "greedy".parse().ok().map(|bot: BuiltIn| bot.decide);
    let (game, state) = (session.game(), session.game().state());
    let turn = state.turn as usize;
    BySeat::from_fn(|seat| {
        if turn == FORFEIT && seat == FORFEITER {
            return Some(ParsedResponse::Nothing(Verdict::Tle));
        }
        // Greedy bots never shoot, but the history should have shots. These hit no player.
        let direction = Direction::ALL[turn % 4];
        let ray = game.maze().ray(state.cells[seat], direction);
        let is_free = state.alive.iter().all(|other| !ray.contains(state.cells[other]));
        let can_shoot = state.boost_turns_left[seat] == 0 && strong(game.maze(), state, seat);
        let shoots = turn % 8 == seat.index() && is_free && can_shoot;
        let action = match decide.filter(|_| state.alive.contains(seat)) {
            _ if shoots => Action::Shoot(direction),
            Some(decide) => decide(game, seat, session.map().seed),
            None => Action::Stay,
        };
        Some(ParsedResponse::Action { number: pacman2_botzone::action::to_number(action), taunt: None })
    })
}

/// A map on which the first player can only stay. Botzone generates no such map, but accepts it.
const WALLED_IN: &str = "
    +---+---+---+---+---+---+
    | 0 | .               1 |
    +---+   +   +   +   +   +
    | .   .           o     |
    +   +   +---+   +   +   +
    |     . | G | .   .     |
    +   +   +---+   +   +   +
    |     .   .   .         |
    +   +   +   +   +   +   +
    |     o                 |
    +   +   +   +   +   +   +
    | 2                   3 |
    +---+---+---+---+---+---+
";

fn walled_in() -> Option<Map> {
    let (maze, start) = picture::read(WALLED_IN).ok()?;
    Some(Map { seed: 7, maze, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> (Position, State) {
        let position = all().into_iter().find(|position| position.name == name).unwrap_or_else(|| panic!("no {name}"));
        let state = *position.turns.last().map_or(&position.map.start, |turn| &turn.state);
        (position, state)
    }

    #[test]
    fn every_kind_of_position_is_there_and_can_be_answered() {
        let positions = all();
        assert_eq!(positions.len(), 11);
        for Position { name, map, turns, seat } in &positions {
            let state = turns.last().map_or(&map.start, |turn| &turn.state);
            assert!(!state.is_over(&map.maze) && state.alive.contains(*seat), "{name}");
        }
    }

    #[test]
    fn positions_are_what_their_names_say() {
        let (position, state) = found("walled in on all sides");
        assert_eq!(state.legal_actions(&position.map.maze, position.seat), [Action::Stay]);
        let (position, state) = found("with one way out");
        assert!(cornered(&position.map.maze, &state, position.seat));
        let (position, state) = found("boosted");
        assert!(state.boost_turns_left[position.seat] > 1);
        let (position, _) = found("after a player's time-out");
        assert!(position.turns[FORFEIT].request().to_string().contains("INVALID_INPUT_VERDICT_TLE"));
        let (position, _) = found("with a dead player");
        assert!(position.turns[FORFEIT + 1].request()[FORFEITER.to_string()].is_null());
        let (position, state) = found("the last turn");
        assert_eq!(state.turn + 1, position.map.maze.ruleset().turn_limit);
        let (position, state) = found("middle game on 11 columns");
        assert!(strong(&position.map.maze, &state, position.seat) && position.map.maze.width() == 11);
        let lights = position.turns.iter().flat_map(|turn| &turn.report.events);
        assert!(lights.filter(|event| matches!(event, pacman2_rules::Event::Fired { .. })).count() > 0);
    }
}
