//! The positions in which a bot is asked: of games between built-in bots, the same every time.

use pacman2_bots::BuiltIn;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Direction, Maze, Ruleset, Seat, State, picture};

/// How many maps are looked through for a position of some kind.
const MAPS: std::ops::Range<i32> = 1..100;

/// A position in which a bot is asked, with all that led to it.
pub(crate) struct Position {
    pub(crate) name: &'static str,
    pub(crate) map: Map,
    pub(crate) turns: Vec<SessionTurn>,
    pub(crate) seat: Seat,
}

/// All positions, first turns first.
pub(crate) fn all() -> Vec<Position> {
    [
        on(11, 8, 0).first("first turn, 11 columns", |_, _, seat| seat.index() == 2),
        on(6, 11, 0).first("first turn, 6 columns", |_, _, seat| seat.index() == 1),
        walled_in().map(|map| Position { name: "walled in on all sides", map, turns: Vec::new(), seat: Seat::ALL[0] }),
        on(9, 9, 1).first("second turn", |_, _, seat| seat.index() == 3),
        on(11, 11, 40).first("in the middle, 11 columns", strong),
        on(6, 6, 40).first("in the middle, 6 columns", strong),
        on(8, 10, 15).first("boosted", |_, state, seat| state.boost_turns_left[seat] > 1),
        on(10, 7, 25).first("with one way out", cornered),
        on(7, 9, FORFEIT + 1).first("after somebody's time-out", |_, _, seat| seat.index() == 0),
        on(7, 9, FORFEIT + 15).first("with a dead player", |_, _, seat| seat.index() == 2),
        on(9, 8, 99).first("the last turn", |_, _, _| true),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// After how many turns somebody says nothing that can be understood, in games that are long enough to go on after it.
const FORFEIT: usize = 12;
/// Who that is.
const FORFEITER: Seat = Seat::ALL[3];

/// Whether a player can shoot, whatever it wants.
fn strong(arena: &Maze, state: &State, seat: Seat) -> bool {
    state.strength[seat] > arena.ruleset().skill_cost
}

/// Whether there is but one step that it can take.
fn cornered(arena: &Maze, state: &State, seat: Seat) -> bool {
    Direction::ALL.into_iter().filter(|&side| arena.is_open(state.cells[seat], side)).count() == 1
}

/// Games on maps of this size, and the position after so many turns.
struct Games {
    size: MapSize,
    turns: usize,
}

fn on(width: u8, height: u8, turns: usize) -> Games {
    Games { size: MapSize { width: Some(width), height: Some(height) }, turns }
}

impl Games {
    /// The first position in which a living player is as wanted.
    fn first(&self, name: &'static str, wanted: impl Fn(&Maze, &State, Seat) -> bool) -> Option<Position> {
        MAPS.into_iter().find_map(|seed| {
            let map = Map::generate(seed, self.size, Ruleset::default()).ok()?;
            let turns = play(&map, self.turns);
            let state = turns.last().map_or(&map.start, |turn| &turn.state);
            if turns.len() < self.turns || state.is_over(&map.maze) {
                return None;
            }
            let seat = state.alive.iter().find(|&seat| wanted(&map.maze, state, seat))?;
            Some(Position { name, turns, seat, map })
        })
    }
}

/// So many turns of a game, or all that it has.
fn play(map: &Map, turns: usize) -> Vec<SessionTurn> {
    let mut table = Session::new(map.clone());
    (0..turns).map_while(|_| table.play(&everybody(&table))).collect()
}

/// What built-in bots say.
pub(crate) fn everybody(table: &Session) -> BySeat<Option<ParsedResponse>> {
    let decide = BuiltIn::named("greedy").map(|bot| bot.decide);
    let (game, state) = (table.game(), table.game().state());
    let turn = state.turn as usize;
    BySeat::from_fn(|seat| {
        if turn == FORFEIT && seat == FORFEITER {
            return Some(ParsedResponse::Nothing(Verdict::Tle));
        }
        // They are peaceful, but bots shall hear of lights too. Here nobody comes to harm by one.
        let direction = Direction::ALL[turn % 4];
        let way = game.maze().ray(state.cells[seat], direction);
        let is_free = state.alive.iter().all(|other| !way.contains(state.cells[other]));
        let has_enough = state.boost_turns_left[seat] == 0 && strong(game.maze(), state, seat);
        let shoots = turn % 8 == seat.index() && is_free && has_enough;
        let action = match decide.filter(|_| state.alive.contains(seat)) {
            _ if shoots => Action::Shoot(direction),
            Some(decide) => decide(game, seat, table.map().seed),
            None => Action::Stay,
        };
        Some(ParsedResponse::Action { number: pacman2_botzone::action::to_number(action), taunt: None })
    })
}

/// A map on which the first player can do nothing but stay. Botzone makes none, but takes them.
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
    let (arena, start) = picture::read(WALLED_IN).ok()?;
    Some(Map { seed: 7, maze: arena, start })
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
        let (position, _) = found("after somebody's time-out");
        assert!(position.turns[FORFEIT].request().to_string().contains("INVALID_INPUT_VERDICT_TLE"));
        let (position, _) = found("with a dead player");
        assert!(position.turns[FORFEIT + 1].request()[FORFEITER.to_string()].is_null());
        let (position, state) = found("the last turn");
        assert_eq!(state.turn + 1, position.map.maze.ruleset().turn_limit);
        let (position, state) = found("in the middle, 11 columns");
        assert!(strong(&position.map.maze, &state, position.seat) && position.map.maze.width() == 11);
        let lights = position.turns.iter().flat_map(|turn| &turn.report.events);
        assert!(lights.filter(|event| matches!(event, pacman2_rules::Event::Fired { .. })).count() > 0);
    }
}
