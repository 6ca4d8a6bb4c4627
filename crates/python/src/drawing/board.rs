//! Draws the field with walls, generators, fruit, light and players.

use pacman2_rules::{Action, Cell, Direction, Event, Game, Maze, Report, Seat};

use super::shapes::{self, Step};
use super::{Drawing, FLOOR, GOLD, GOLD_SOFT, INK, JADE, LIGHT, LINE, SEATS, SHEET, UNIT, WALL};

/// Draws the field with its upper left corner at `corner`.
pub(super) fn draw(drawing: &mut Drawing, game: &Game, corner: [f32; 2]) {
    let board = Board { maze: game.maze(), corner };
    board.floor(drawing);
    board.walls(drawing);
    board.towers(drawing, game);
    board.fruit(drawing, game);
    board.lights(drawing, game);
    board.players(drawing, game);
}

struct Board<'a> {
    maze: &'a Maze,
    corner: [f32; 2],
}

impl Board<'_> {
    fn middle(&self, cell: Cell) -> [f32; 2] {
        let middle = |place: u8| (f32::from(place) + 0.5) * UNIT;
        [self.corner[0] + middle(self.maze.col(cell)), self.corner[1] + middle(self.maze.row(cell))]
    }

    /// Returns the path of a shape on each of the cells.
    fn on(&self, cells: impl IntoIterator<Item = Cell>, shape: &str) -> Vec<Step> {
        cells.into_iter().flat_map(|cell| shapes::at(shape, self.middle(cell), 1.0)).collect()
    }

    fn floor(&self, drawing: &mut Drawing) {
        let (width, height) = (f32::from(self.maze.width()) * UNIT, f32::from(self.maze.height()) * UNIT);
        let [left, top] = self.corner;
        drawing.fill(FLOOR, shapes::rectangle(self.corner, [width, height]));
        let generators = self.maze.generators().iter().map(|cell| self.middle(cell));
        let squares = generators.flat_map(|[x, y]| shapes::rectangle([x - UNIT / 2.0, y - UNIT / 2.0], [UNIT, UNIT]));
        drawing.fill(GOLD_SOFT, squares.collect());
        let across = (0..=self.maze.height()).map(|row| top + f32::from(row) * UNIT);
        let down = (0..=self.maze.width()).map(|col| left + f32::from(col) * UNIT);
        let lines = across.map(|y| shapes::line([left, y], [left + width, y]));
        let lines = lines.chain(down.map(|x| shapes::line([x, top], [x, top + height])));
        drawing.stroke(LINE, 1.5, lines.flatten().collect());
    }

    /// Draws two-way walls on the border between cells, and one-way walls inside the cell that they block.
    fn walls(&self, drawing: &mut Drawing) {
        let (mut both, mut one, mut openings) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, side) in self.maze.cells().flat_map(|cell| Direction::ALL.map(|side| (cell, side))) {
            let [x, y] = delta(side);
            let beyond = self.maze.neighbour(cell, side);
            let middle = self.middle(cell);
            let there = self.middle(beyond);
            let wraps = (there[0] - middle[0], there[1] - middle[1]) != (x * UNIT, y * UNIT);
            let mutual = !self.maze.is_open(beyond, side.opposite());
            if self.maze.is_open(cell, side) {
                if wraps {
                    openings.extend(arrow(middle, [x, y]));
                }
                continue;
            }
            let off = UNIT / 2.0 - if mutual { 0.0 } else { 9.0 };
            let wall = [middle[0] + x * off, middle[1] + y * off];
            let half = [y * UNIT / 2.0, x * UNIT / 2.0];
            let line = shapes::line([wall[0] - half[0], wall[1] - half[1]], [wall[0] + half[0], wall[1] + half[1]]);
            if mutual { both.extend(line) } else { one.extend(line) }
        }
        drawing.stroke(JADE, 5.0, openings);
        drawing.fade(0.7);
        drawing.stroke(WALL, 10.0, both);
        drawing.stroke(WALL, 5.0, one);
        drawing.fade(0.6);
    }

    /// Draws generators with the turns until they spawn fruit, and the spawn cells.
    fn towers(&self, drawing: &mut Drawing, game: &Game) {
        let left = game.state().generator_turns_left;
        drawing.fill(JADE, self.on(self.maze.spawn_cells().iter(), shapes::TREE));
        drawing.fade(if left <= 3 { 0.5 } else { 0.14 });
        drawing.fill(GOLD, self.on(self.maze.generators().iter(), shapes::TOWER));
        for cell in self.maze.generators().iter() {
            let [x, y] = self.middle(cell);
            drawing.stroke(SHEET, 4.0, shapes::digits(&left.to_string(), [x, y + 21.0], 21.0));
        }
    }

    fn fruit(&self, drawing: &mut Drawing, game: &Game) {
        let (small, large) = (game.state().small_fruits, game.state().large_fruits);
        let peaches = self.on(large.iter(), shapes::PEACH);
        drawing.fill(LIGHT, peaches.clone());
        drawing.stroke(GOLD, 4.0, peaches);
        drawing.fill(JADE, self.on(large.iter(), shapes::LEAF));
        // Where both lie, the small one moves into the corner.
        let seed = |cell: Cell| {
            let [x, y] = self.middle(cell);
            let aside = if large.contains(cell) { 32.0 } else { 0.0 };
            shapes::at(shapes::SEED, [x + aside, y + aside], 1.0)
        };
        drawing.fill(JADE, small.iter().flat_map(seed).collect());
    }

    /// Draws the light of the last turn.
    fn lights(&self, drawing: &mut Drawing, game: &Game) {
        let Some(last) =
            game.turns().last().filter(|last| last.actions.0.iter().any(|action| matches!(action, Action::Shoot(_))))
        else {
            return;
        };
        let (mut state, mut report) = (last.before, Report::new(self.maze));
        state.play(self.maze, &last.actions, &mut report);
        for event in &report.events {
            let Event::Fired { seat, from, direction, .. } = *event else { continue };
            let path = self.beam(from, direction, (seat.index() as f32 - 1.5) * 7.0);
            drawing.stroke(SEATS[seat.index()], 20.0, path.clone());
            drawing.fade(0.35);
            drawing.stroke(LIGHT, 9.0, path);
            drawing.fade(0.7);
        }
    }

    /// Returns the path of a beam, slightly off the middle, so that two beams stay visible. It consists of half cells, because it
    /// may wrap around the edge.
    fn beam(&self, from: Cell, direction: Direction, aside: f32) -> Vec<Step> {
        let [x, y] = delta(direction);
        let (mut path, mut cell) = (Vec::new(), from);
        let half = |cell: Cell, sign: f32| {
            let middle = self.middle(cell);
            let middle = [middle[0] + y.abs() * aside, middle[1] + x.abs() * aside];
            shapes::line(middle, [middle[0] + sign * x * UNIT / 2.0, middle[1] + sign * y * UNIT / 2.0])
        };
        while self.maze.is_open(cell, direction) {
            path.extend(half(cell, 1.0));
            cell = self.maze.neighbour(cell, direction);
            path.extend(half(cell, -1.0));
            if cell == from {
                break;
            }
        }
        path
    }

    fn players(&self, drawing: &mut Drawing, game: &Game) {
        let state = game.state();
        for seat in Seat::ALL.into_iter().filter(|&seat| !state.alive.contains(seat)) {
            let cell = state.cells[seat];
            let [x, y] = self.middle(cell);
            let others = state.cells.0.iter().filter(|&&other| other == cell).count() > 1;
            let crowded = others || state.small_fruits.contains(cell) || state.large_fruits.contains(cell);
            let [right, down] = [seat.index() % 2 == 1, seat.index() >= 2].map(|yes| if yes { 29.0 } else { -29.0 });
            let (middle, scale) = if crowded { ([x + right, y + down], 0.42) } else { ([x, y], 0.8) };
            drawing.fallen(seat, middle, scale);
        }
        for seat in state.alive.iter() {
            self.player(drawing, game, seat);
        }
    }

    fn player(&self, drawing: &mut Drawing, game: &Game, seat: Seat) {
        let player = game.state().player(seat);
        let here: Vec<Seat> = game.state().standing_on(player.cell).iter().collect();
        let index = here.iter().position(|&other| other == seat).unwrap_or(0);
        let ([right, down], scale) = place_among(here.len(), index);
        let [x, y] = self.middle(player.cell);
        let place = |away: [f32; 2]| [x + right + away[0] * scale, y + down + away[1] * scale];
        drawing.figure(seat, place([0.0, -11.0]), scale);
        drawing.write(INK, FLOOR, &player.strength.to_string(), place([0.0, 34.0]), 23.0 * scale);
        if player.boost_turns_left > 0 {
            drawing.write(GOLD, FLOOR, &player.boost_turns_left.to_string(), place([36.0, -36.0]), 16.0 * scale);
        }
    }
}

/// Returns the offset and scale of one of `count` players on a cell.
fn place_among(count: usize, index: usize) -> ([f32; 2], f32) {
    let side = if index % 2 == 1 { 25.0 } else { -25.0 };
    match (count, index) {
        (..=1, _) => ([0.0, 0.0], 1.0),
        (2, _) => ([side, 0.0], 0.7),
        (3, 2) => ([0.0, 25.0], 0.53),
        (_, 0 | 1) => ([side, -25.0], 0.53),
        _ => ([side, 25.0], 0.53),
    }
}

/// Returns a small arrow that marks an opening to the other side of the field.
fn arrow(middle: [f32; 2], [x, y]: [f32; 2]) -> [Step; 3] {
    let base = [middle[0] + x * 38.0, middle[1] + y * 38.0];
    let tip = [base[0] + x * 9.0, base[1] + y * 9.0];
    let across = [y * 12.0, x * 12.0];
    [
        Step::Start([base[0] - across[0], base[1] - across[1]]),
        Step::Line(tip),
        Step::Line([base[0] + across[0], base[1] + across[1]]),
    ]
}

/// Returns a step in a direction as x and y.
fn delta(direction: Direction) -> [f32; 2] {
    let (rows, cols) = direction.delta();
    [cols.into(), rows.into()]
}
