//! Positions as text pictures, both ways, and the debug print of the sample program.
//!
//! ```text
//! turn 3/100, fruit in 17/20, light 4, boost 10 for 10, forfeited sample
//! +----+----+----+
//! | 0    .  | G  |
//! +    +----+----+
//!   1o      >
//! +----+----+----+
//! 0: 12 +9
//! 1: 4
//! 2: 0 dead at 1,2
//! 3: 7 dead at 0,0
//! ```
//!
//! - In the cells: players `0` to `3`, small fruit `.`, large fruit `o`, generator `G`. Several can share a cell; all cells
//!   are then as wide as the fullest one needs.
//! - Between cells: `|` and `---` are walls. A one-sided wall, which custom maps can have, is an arrow that points where a
//!   player can go: `>`, `<`, `^`, `v`. The maze wraps around, so the outer edges are drawn twice.
//! - The first line: turns played and turn limit, turns until fruit spawns and the interval, cost of a shot, strength and
//!   duration of a boost, and the [forfeit ruling](crate::ForfeitRuling).
//! - The last lines: strengths, turns left of a boost, and the cells where the dead last stood.
//!
//! A picture may lack any part of the first line and any of the last lines. The defaults are Botzone's settings before the
//! first turn and strength 1; a player that is nowhere in the maze is dead with strength 0 at 0,0. Spaces at the end of a line
//! may be missing, even all of them: a blank line within the maze is a row of open, empty cells.

use std::fmt;
use std::fmt::Write as _;

use crate::cell::{Cell, CellSet, Direction, MAX_SIDE};
use crate::maze::{Maze, MazeError, MazeSpec, Square, Walls};
use crate::ruleset::Ruleset;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;

/// Returns the picture of a position. [`read`] reads it.
///
/// ```
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// assert_eq!(
///     picture::write(&maze, &state),
///     "turn 0/100, fruit in 20/20, light 4, boost 10 for 10, forfeited sample
/// +---+---+
/// | 0   1 |
/// +---+---+
/// 0: 1
/// 1: 1
/// 2: 0 dead at 0,0
/// 3: 0 dead at 0,0
/// "
/// );
/// ```
#[must_use]
pub fn write(maze: &Maze, state: &State) -> String {
    let ruleset = maze.ruleset();
    let mut text = format!(
        "turn {}/{}, fruit in {}/{}, light {}, boost {} for {}, forfeited {}\n",
        state.turn,
        ruleset.turn_limit,
        state.generator_turns_left,
        ruleset.generator_interval,
        ruleset.skill_cost,
        ruleset.large_fruit_enhancement,
        ruleset.large_fruit_duration,
        ruleset.forfeit_ruling.name(),
    );
    let contents: Vec<String> = maze.cells().map(|cell| content(maze, state, cell)).collect();
    let room = contents.iter().map(|content| content.len() + 2).max().unwrap_or(3);
    push_field(&mut text, maze, &contents, room);
    for seat in Seat::ALL {
        let player = state.player(seat);
        let _ = write!(text, "{seat}: {}", player.strength);
        if player.boost_turns_left > 0 {
            let _ = write!(text, " +{}", player.boost_turns_left);
        }
        if !player.alive {
            let _ = write!(text, " dead at {},{}", maze.row(player.cell), maze.col(player.cell));
        }
        text.push('\n');
    }
    text
}

/// Returns the maze with its content, without numbers. Each cell is four characters wide, plus one for the last edge; a cell
/// with more than three things is `***`.
///
/// ```
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     turn 7/100
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// assert_eq!(picture::field(&maze, &state), "+---+---+\n| 0   1 |\n+---+---+\n");
/// ```
#[must_use]
pub fn field(maze: &Maze, state: &State) -> String {
    const ROOM: usize = 3;
    let shown = |content: String| if content.len() > ROOM { "*".repeat(ROOM) } else { content };
    let contents: Vec<String> = maze.cells().map(|cell| shown(content(maze, state, cell))).collect();
    let mut text = String::new();
    push_field(&mut text, maze, &contents, ROOM);
    text
}

fn push_field(text: &mut String, maze: &Maze, contents: &[String], room: usize) {
    let cols = usize::from(maze.width());
    for row in 0..usize::from(maze.height()) {
        push_border(text, maze, row, room);
        for col in 0..cols {
            text.push(edge(maze, row, col, Direction::Left));
            let _ = write!(text, "{:^room$}", contents[row * cols + col]);
        }
        text.push(edge(maze, row, 0, Direction::Left));
        text.push('\n');
    }
    push_border(text, maze, 0, room);
}

fn content(maze: &Maze, state: &State, cell: Cell) -> String {
    let mut content: String = state.standing_on(cell).iter().map(|seat| seat.to_string()).collect();
    content.extend(state.small_fruits.contains(cell).then_some('.'));
    content.extend(state.large_fruits.contains(cell).then_some('o'));
    content.extend(maze.generators().contains(cell).then_some('G'));
    content
}

/// Adds the line above a row.
fn push_border(text: &mut String, maze: &Maze, row: usize, room: usize) {
    for col in 0..usize::from(maze.width()) {
        text.push('+');
        match edge(maze, row, col, Direction::Up) {
            '-' => text.extend(std::iter::repeat_n('-', room)),
            other => {
                let _ = write!(text, "{other:^room$}");
            }
        }
    }
    text.push_str("+\n");
}

/// Returns the symbol between a cell and its neighbour to the left or above.
fn edge(maze: &Maze, row: usize, col: usize, towards: Direction) -> char {
    let Some(cell) = maze.cell(row, col) else { return ' ' };
    let there = maze.is_open(cell, towards);
    let back = maze.is_open(maze.neighbour(cell, towards), towards.opposite());
    match (there, back, towards) {
        (true, true, _) => ' ',
        (false, false, Direction::Left) => '|',
        (false, false, _) => '-',
        (true, false, Direction::Left) => '<',
        (true, false, _) => '^',
        (false, true, Direction::Left) => '>',
        (false, true, _) => 'v',
    }
}

/// Reads a picture. All lines may have the same indent; the [module](self) says what may be left out.
///
/// # Errors
///
/// Returns an error with the line if the text is no picture.
///
/// ```
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     turn 3/100, light 6
///     +---+---+---+
///     | 0 | .   1 |
///     +---+---+---+
///     0: 12 +9
///     3: 7 dead at 0,2
/// ").unwrap();
/// assert_eq!((maze.ruleset().skill_cost, state.turn, state.strength[Seat::S3]), (6, 3, 7));
/// ```
pub fn read(text: &str) -> Result<(Maze, State), PictureError> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let is_border = |line: &str| line.trim_start().starts_with('+');
    let first = lines.iter().position(|(_, line)| is_border(line)).ok_or_else(|| error(1, PictureErrorKind::NoMaze))?;
    let last = lines.iter().rposition(|(_, line)| is_border(line)).unwrap_or(first);
    // Within the maze a blank line is a row of open, empty cells; elsewhere it means nothing.
    let (header, players) = (without_blanks(&lines[..first]), without_blanks(&lines[last + 1..]));
    let (ruleset, progress) = read_header(&header)?;
    let grid = Grid::read(&lines[first..=last])?;
    // The size is right, so what can still be wrong is a setting of the header.
    let header_line = header.first().map_or(lines[first].0, |&(number, _)| number);
    let maze = Maze::new(&grid.spec(ruleset)).map_err(|reason| error(header_line, PictureErrorKind::Maze(reason)))?;
    let mut state = grid.start(&maze)?;
    state.turn = progress.turn;
    state.generator_turns_left = progress.generator_turns_left.unwrap_or(ruleset.generator_interval);
    for (number, line) in players {
        read_player(number, line, &maze, &mut state)?;
    }
    Ok((maze, state))
}

fn without_blanks<'a>(lines: &[(usize, &'a str)]) -> Vec<(usize, &'a str)> {
    lines.iter().copied().filter(|(_, line)| !line.trim().is_empty()).collect()
}

/// An error in a picture.
///
/// ```
/// use pacman2_rules::picture;
///
/// let error = picture::read("
///     +---+---+
///     | 0   5 |
///     +---+---+
/// ").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 3 of the picture: expected . o G or a player 0 to 3 not drawn before at 0,1, got '5'"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub kind: PictureErrorKind,
}

/// What is wrong with a line of a picture. Rows and columns count from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum PictureErrorKind {
    /// There is no maze.
    NoMaze,
    /// A part of the first line is unknown.
    Header(String),
    /// The first line has a setting out of range.
    Maze(MazeError),
    /// There is a row without a border above or below.
    NoBorder,
    /// There are more than [`MAX_SIDE`] rows or columns.
    TooLarge,
    /// The corners of the first border have unequal distances.
    Corners,
    /// The line begins to the left of the first border.
    TooFarLeft,
    /// The line is longer than the first border.
    TooLong,
    /// The border lacks a corner.
    NoCorner,
    /// A column has no possible edge on its left.
    LeftEdge { col: usize },
    /// A column has no possible edge above or below it.
    Border { col: usize },
    /// The leftmost and the rightmost edge differ.
    LeftAndRightDiffer,
    /// The first and the last border differ.
    TopAndBottomDiffer,
    /// An unknown symbol, or a player drawn twice.
    Symbol { symbol: char, row: usize, col: usize },
    /// The line does not describe a player.
    Player(String),
    /// The cell of a dead player is outside the maze.
    OutsideMaze { row: usize, col: usize },
    /// A player is both in the maze and dead, or neither.
    AliveOrDead(Seat),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use PictureErrorKind as Kind;
        write!(f, "line {} of the picture: ", self.line)?;
        match &self.kind {
            Kind::NoMaze => f.write_str("expected a line that begins with a + corner, got none"),
            Kind::Header(part) => {
                write!(f, "unknown part \"{part}\"; expected turn A/B, fruit in A/B, light N, boost N for N or forfeited NAME")
            }
            Kind::Maze(error) => error.fmt(f),
            Kind::NoBorder => f.write_str("expected a border line above and below each row"),
            Kind::TooLarge => write!(f, "expected at most {MAX_SIDE} rows and columns"),
            Kind::Corners => f.write_str("expected + corners at equal distances"),
            Kind::TooFarLeft => f.write_str("expected nothing to the left of the first border"),
            Kind::TooLong => f.write_str("expected nothing to the right of the first border"),
            Kind::NoCorner => f.write_str("expected a + under each + of the first border"),
            Kind::LeftEdge { col } => write!(f, "expected one of | < > or a space to the left of column {col}"),
            Kind::Border { col } => write!(f, "expected --- or ^ or v or spaces above or below column {col}"),
            Kind::LeftAndRightDiffer => f.write_str("expected the same left and right edge, since the maze wraps around"),
            Kind::TopAndBottomDiffer => f.write_str("expected the same top and bottom edge, since the maze wraps around"),
            Kind::Symbol { symbol, row, col } => {
                write!(f, "expected . o G or a player 0 to 3 not drawn before at {row},{col}, got '{symbol}'")
            }
            Kind::Player(line) => write!(f, "expected SEAT: STRENGTH [+BOOST] [dead at ROW,COL], got \"{line}\""),
            Kind::OutsideMaze { row, col } => write!(f, "expected a cell of the maze, got {row},{col}"),
            Kind::AliveOrDead(seat) => write!(f, "expected player {seat} either in the maze or dead"),
        }
    }
}

impl std::error::Error for PictureError {}

fn error(line: usize, kind: PictureErrorKind) -> PictureError {
    PictureError { line, kind }
}

#[derive(Default)]
struct Progress {
    turn: u32,
    generator_turns_left: Option<u32>,
}

fn read_header(lines: &[(usize, &str)]) -> Result<(Ruleset, Progress), PictureError> {
    let mut ruleset = Ruleset::default();
    let mut progress = Progress::default();
    for &(number, line) in lines {
        for part in line.split(',').map(str::trim) {
            let unknown = || error(number, PictureErrorKind::Header(part.to_owned()));
            if let Some(rest) = part.strip_prefix("turn ") {
                let (turn, limit) = rest.split_once('/').ok_or_else(unknown)?;
                progress.turn = turn.parse().map_err(|_| unknown())?;
                ruleset.turn_limit = limit.parse().map_err(|_| unknown())?;
            } else if let Some(rest) = part.strip_prefix("fruit in ") {
                let (left, interval) = rest.split_once('/').ok_or_else(unknown)?;
                progress.generator_turns_left = Some(left.parse().map_err(|_| unknown())?);
                ruleset.generator_interval = interval.parse().map_err(|_| unknown())?;
            } else if let Some(rest) = part.strip_prefix("light ") {
                ruleset.skill_cost = rest.parse().map_err(|_| unknown())?;
            } else if let Some(rest) = part.strip_prefix("boost ") {
                let (strength, duration) = rest.split_once(" for ").ok_or_else(unknown)?;
                ruleset.large_fruit_enhancement = strength.parse().map_err(|_| unknown())?;
                ruleset.large_fruit_duration = duration.parse().map_err(|_| unknown())?;
            } else if let Some(rest) = part.strip_prefix("forfeited ") {
                ruleset.forfeit_ruling = rest.parse().map_err(|_| unknown())?;
            } else {
                return Err(unknown());
            }
        }
    }
    Ok((ruleset, progress))
}

/// The drawn part of a picture: `2 * height + 1` lines of `(room + 1) * width + 1` characters.
struct Grid {
    first_line: usize,
    lines: Vec<Vec<char>>,
    width: usize,
    height: usize,
    room: usize,
}

impl Grid {
    fn read(numbered: &[(usize, &str)]) -> Result<Grid, PictureError> {
        let (first_line, top) = numbered[0];
        let indent = top.chars().take_while(|&c| c != '+').count();
        let corners: Vec<usize> = (0..).zip(top.trim().chars()).filter(|&(_, c)| c == '+').map(|(at, _)| at).collect();
        let width = corners.len() - 1;
        if width == 0 || numbered.len() < 3 || numbered.len().is_multiple_of(2) {
            return Err(error(first_line, PictureErrorKind::NoBorder));
        }
        if width > usize::from(MAX_SIDE) || numbered.len() / 2 > usize::from(MAX_SIDE) {
            return Err(error(first_line, PictureErrorKind::TooLarge));
        }
        let pitch = corners[1];
        if pitch < 2 || corners.iter().enumerate().any(|(col, &at)| at != col * pitch) {
            return Err(error(first_line, PictureErrorKind::Corners));
        }
        let full = pitch * width + 1;
        let mut lines = Vec::new();
        for &(number, line) in numbered {
            let mut chars: Vec<char> = line.chars().skip(indent).collect();
            while chars.len() > full && chars.last().is_some_and(|c| c.is_whitespace()) {
                chars.pop();
            }
            if line.chars().take(indent).any(|c| !c.is_whitespace()) {
                return Err(error(number, PictureErrorKind::TooFarLeft));
            }
            if chars.len() > full {
                return Err(error(number, PictureErrorKind::TooLong));
            }
            chars.resize(full, ' ');
            lines.push(chars);
        }
        Ok(Grid { first_line, lines, width, height: numbered.len() / 2, room: pitch - 1 })
    }

    fn spec(&self, ruleset: Ruleset) -> MazeSpec {
        let squares = (0..self.height).flat_map(|row| (0..self.width).map(move |col| self.square(row, col))).collect();
        MazeSpec { width: self.width as u8, height: self.height as u8, squares, ruleset }
    }

    fn square(&self, row: usize, col: usize) -> Square {
        let mut walls = Walls::NONE;
        for (direction, edge, passable) in [
            (Direction::Up, self.above(row, col), [' ', '^']),
            (Direction::Right, self.left_of(row, col + 1), [' ', '>']),
            (Direction::Down, self.above(row + 1, col), [' ', 'v']),
            (Direction::Left, self.left_of(row, col), [' ', '<']),
        ] {
            if !passable.contains(&edge) {
                walls.insert(direction);
            }
        }
        Square { walls, generator: self.content(row, col).contains(&'G') }
    }

    fn content(&self, row: usize, col: usize) -> &[char] {
        let from = col * (self.room + 1) + 1;
        &self.lines[2 * row + 1][from..from + self.room]
    }

    fn left_of(&self, row: usize, col: usize) -> char {
        self.lines[2 * row + 1][col * (self.room + 1)]
    }

    fn above(&self, row: usize, col: usize) -> char {
        self.border(row, col).iter().copied().find(|&c| c != ' ').unwrap_or(' ')
    }

    /// Returns the line above a cell, without its corners.
    fn border(&self, row: usize, col: usize) -> &[char] {
        let from = col * (self.room + 1) + 1;
        &self.lines[2 * row][from..from + self.room]
    }

    /// Checks every character and returns the position, each player with strength 1.
    fn start(&self, maze: &Maze) -> Result<State, PictureError> {
        self.check_edges()?;
        let mut state = State::start(maze, BySeat::default(), CellSet::EMPTY, CellSet::EMPTY);
        state.alive = SeatSet::EMPTY;
        for cell in maze.cells() {
            let (row, col) = (usize::from(maze.row(cell)), usize::from(maze.col(cell)));
            for &symbol in self.content(row, col) {
                match symbol {
                    ' ' | 'G' => {}
                    '.' => state.small_fruits.insert(cell),
                    'o' => state.large_fruits.insert(cell),
                    _ => {
                        let seat = symbol.to_digit(10).and_then(|digit| Seat::new(digit as usize));
                        let seat = seat.filter(|&seat| !state.alive.contains(seat));
                        let unknown = PictureErrorKind::Symbol { symbol, row, col };
                        let seat = seat.ok_or_else(|| error(self.first_line + 2 * row + 1, unknown))?;
                        state.alive.insert(seat);
                        state.cells[seat] = cell;
                    }
                }
            }
        }
        for seat in (!state.alive).iter() {
            state.strength[seat] = 0;
        }
        Ok(state)
    }

    fn check_edges(&self) -> Result<(), PictureError> {
        for (row, border) in self.lines.iter().step_by(2).enumerate() {
            if (0..=self.width).any(|col| border[col * (self.room + 1)] != '+') {
                return Err(error(self.first_line + 2 * row, PictureErrorKind::NoCorner));
            }
        }
        for row in 0..self.height {
            for col in 0..=self.width {
                if !" |<>".contains(self.left_of(row, col)) {
                    return Err(error(self.first_line + 2 * row + 1, PictureErrorKind::LeftEdge { col }));
                }
            }
            if self.left_of(row, 0) != self.left_of(row, self.width) {
                return Err(error(self.first_line + 2 * row + 1, PictureErrorKind::LeftAndRightDiffer));
            }
        }
        for col in 0..self.width {
            for row in 0..=self.height {
                let edge = self.border(row, col);
                let open = edge.iter().all(|&c| c == ' ');
                let wall = edge.iter().all(|&c| c == '-');
                let arrow = "^v".contains(self.above(row, col)) && edge.iter().filter(|&&c| c != ' ').count() == 1;
                if !(open || wall || arrow) {
                    return Err(error(self.first_line + 2 * row, PictureErrorKind::Border { col }));
                }
            }
            if self.above(0, col) != self.above(self.height, col) {
                return Err(error(self.first_line + 2 * self.height, PictureErrorKind::TopAndBottomDiffer));
            }
        }
        Ok(())
    }
}

/// `SEAT: STRENGTH [+BOOST] [dead at ROW,COL]`
fn read_player(number: usize, line: &str, maze: &Maze, state: &mut State) -> Result<(), PictureError> {
    let malformed = || error(number, PictureErrorKind::Player(line.trim().to_owned()));
    let (seat, rest) = line.split_once(':').ok_or_else(malformed)?;
    let seat = seat.trim().parse().ok().and_then(Seat::new).ok_or_else(malformed)?;
    let (rest, place) = match rest.split_once("dead at") {
        Some((rest, place)) => (rest, Some(place)),
        None => (rest, None),
    };
    if let Some(place) = place {
        let (row, col) = place.trim().split_once(',').ok_or_else(malformed)?;
        let (row, col) = (row.parse().map_err(|_| malformed())?, col.parse().map_err(|_| malformed())?);
        let outside = PictureErrorKind::OutsideMaze { row, col };
        state.cells[seat] = maze.cell(row, col).ok_or_else(|| error(number, outside))?;
    }
    if place.is_none() != state.alive.contains(seat) {
        return Err(error(number, PictureErrorKind::AliveOrDead(seat)));
    }
    let mut words = rest.split_whitespace();
    state.strength[seat] = words.next().and_then(|word| word.parse().ok()).ok_or_else(malformed)?;
    state.boost_turns_left[seat] = match words.next() {
        None => 0,
        Some(word) => word.strip_prefix('+').and_then(|turns| turns.parse().ok()).ok_or_else(malformed)?,
    };
    if words.next().is_some() { Err(malformed()) } else { Ok(()) }
}

/// Returns the text that the sample program's `DebugPrint` writes, with its Chinese legend.
///
/// ```
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// assert!(picture::debug_print(&maze, &state).starts_with("回合号【0】存活人数【2】"));
/// ```
#[must_use]
pub fn debug_print(maze: &Maze, state: &State) -> String {
    let mut text = format!(
        "回合号【{}】存活人数【{}】| 图例 产生器[G] 有玩家[0/1/2/3] 多个玩家[*] 大豆[o] 小豆[.]\n",
        state.turn,
        state.alive.len()
    );
    for seat in Seat::ALL {
        let player = state.player(seat);
        let (row, col) = (maze.row(player.cell), maze.col(player.cell));
        let condition = if player.alive { "存活" } else { "死亡" };
        let _ = writeln!(
            text,
            "[玩家{seat}({row}, {col})|力量{}|加成剩余回合{}|{condition}]",
            player.strength, player.boost_turns_left
        );
    }
    text.push_str("  ");
    for col in 0..maze.width() {
        let _ = write!(text, "  {col} ");
    }
    text.push('\n');
    for row in 0..maze.height() {
        push_walls(&mut text, maze, row, Direction::Up);
        let _ = write!(text, "{row} ");
        for cell in maze.cells().filter(|&cell| maze.row(cell) == row) {
            text.push(if maze.is_open(cell, Direction::Left) { ' ' } else { '|' });
            let _ = write!(text, " {} ", symbol(maze, state, cell));
        }
        let last = maze.cells().filter(|&cell| maze.row(cell) == row).last();
        let closed = last.is_some_and(|cell| !maze.is_open(cell, Direction::Right));
        text.push(if closed { '|' } else { ' ' });
        text.push('\n');
    }
    push_walls(&mut text, maze, maze.height() - 1, Direction::Down);
    text
}

fn push_walls(text: &mut String, maze: &Maze, row: u8, side: Direction) {
    text.push_str("  ");
    for cell in maze.cells().filter(|&cell| maze.row(cell) == row) {
        text.push_str(if maze.is_open(cell, side) { "    " } else { " ---" });
    }
    text.push('\n');
}

fn symbol(maze: &Maze, state: &State, cell: Cell) -> char {
    let here = state.standing_on(cell);
    let mut seats = here.iter();
    match (seats.next(), seats.next()) {
        (Some(_), Some(_)) => '*',
        (Some(seat), None) => (b'0' + seat.index() as u8) as char,
        _ if maze.generators().contains(cell) => 'G',
        _ if state.small_fruits.contains(cell) => '.',
        _ if state.large_fruits.contains(cell) => 'o',
        _ => ' ',
    }
}
