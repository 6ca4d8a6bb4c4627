//! The position, updated turn by turn by the rules. 局面，按规则逐回合推演。

use crate::json::Json;

pub const STAY: i64 = -1;
pub const MOST_CELLS: usize = 11 * 11;
/// One flag per cell; cells are numbered row by row. 每格一个标记；格子按行编号。
pub type Cells = [bool; MOST_CELLS];
pub const NO_CELLS: Cells = [false; MOST_CELLS];

/// Up, right, down, left: rows and columns. 上右下左。
const STEPS: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

#[derive(Clone)]
pub struct Game {
    pub me: usize,
    pub turn: usize,
    pub at: [usize; 4],
    pub strength: [i64; 4],
    pub alive: [bool; 4],
    pub small: Cells,
    pub large: Cells,
    /// Cells where fruit spawns. 产豆的格子。
    pub spawn_cells: Cells,
    width: usize,
    height: usize,
    walls: [i64; MOST_CELLS],
    boost: [i64; 4],
    interval: i64,
    turns_to_spawn: i64,
    boost_turns: i64,
    boost_strength: i64,
    cost: i64,
}

impl Game {
    pub fn new(first: &Json) -> Game {
        let number = |key: &str| first.get(key).number();
        let mut game = Game {
            me: number("id") as usize,
            turn: 0,
            at: [0; 4],
            strength: [1; 4],
            alive: [true; 4],
            small: NO_CELLS,
            large: NO_CELLS,
            spawn_cells: NO_CELLS,
            width: number("width") as usize,
            height: number("height") as usize,
            walls: [0; MOST_CELLS],
            boost: [0; 4],
            interval: number("GENERATOR_INTERVAL"),
            turns_to_spawn: number("GENERATOR_INTERVAL"),
            boost_turns: number("LARGE_FRUIT_DURATION"),
            boost_strength: number("LARGE_FRUIT_ENHANCEMENT"),
            cost: number("SKILL_COST"),
        };
        // static: bits 1 2 4 8 are walls up, right, down, left; 16 is a generator. 1 2 4 8 是上右下左的墙，16 是产生器。
        let walls = first.get("static").items().iter().flat_map(Json::items);
        walls.enumerate().for_each(|(cell, bits)| game.walls[cell] = bits.number());
        // content: bits 1 2 4 8 are players 0 to 3, 16 small fruit, 32 large fruit. 1 2 4 8 是玩家，16 是小豆，32 是大豆。
        for (cell, bits) in first.get("content").items().iter().flat_map(Json::items).map(Json::number).enumerate() {
            game.small[cell] = bits & 16 != 0;
            game.large[cell] = bits & 32 != 0;
            (0..4).filter(|seat| bits >> seat & 1 == 1).for_each(|seat| game.at[seat] = cell);
        }
        for cell in (0..game.width * game.height).filter(|&cell| game.walls[cell] & 16 != 0) {
            for (rows, cols) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
                let spawn = game.shift(cell, rows, cols);
                game.spawn_cells[spawn] = game.walls[spawn] & 16 == 0;
            }
        }
        game
    }

    /// Returns the cell `rows` down and `cols` to the right; the maze wraps around. 迷宫上下左右相通。
    fn shift(&self, cell: usize, rows: isize, cols: isize) -> usize {
        let row = (cell / self.width).wrapping_add_signed(rows).wrapping_add(self.height) % self.height;
        let col = (cell % self.width).wrapping_add_signed(cols).wrapping_add(self.width) % self.width;
        row * self.width + col
    }

    /// Returns the next cell in a direction, or None if a wall blocks it. 该方向的下一格；有墙则为 None。
    pub fn step(&self, cell: usize, direction: usize) -> Option<usize> {
        let (rows, cols) = STEPS[direction];
        (self.walls[cell] >> direction & 1 == 0).then(|| self.shift(cell, rows, cols))
    }

    pub fn living(&self) -> impl Iterator<Item = usize> {
        let alive = self.alive;
        (0..4).filter(move |&seat| alive[seat])
    }

    pub fn is_legal(&self, seat: usize, action: i64) -> bool {
        match action {
            0..=3 => self.step(self.at[seat], action as usize).is_some(),
            4..=7 => self.strength[seat] > self.cost,
            _ => action == STAY,
        }
    }

    fn die(&mut self, seat: usize) {
        self.alive[seat] = false;
        self.strength[seat] = 0;
    }

    /// Plays the turn of a message. 推演消息里的一回合。
    pub fn play(&mut self, turn: &Json) {
        self.advance(&std::array::from_fn(|seat| turn.get(&seat.to_string()).get("action").number()));
    }

    /// Plays one turn with the actions of all players. 按所有玩家的动作推演一回合。
    pub fn advance(&mut self, actions: &[i64; 4]) {
        self.walk(actions);
        for seat in 0..4 {
            self.fight(self.at[seat]);
        }
        for seat in self.living().filter(|&seat| (4..8).contains(&actions[seat])) {
            self.fire_light(seat, actions[seat] as usize - 4);
        }
        for seat in self.living() {
            if self.strength[seat] <= 0 {
                self.die(seat);
            }
        }
        self.eat_fruit();
        self.expire_boosts();
        self.turn += 1;
    }

    /// An illegal action kills its player; no player walks onto a stronger one. 非法动作死亡；不敢走向更强者。
    fn walk(&mut self, actions: &[i64; 4]) {
        let mut goal = self.at;
        for seat in self.living() {
            if !self.is_legal(seat, actions[seat]) {
                self.die(seat);
            } else if let 0..=3 = actions[seat] {
                let Some(cell) = self.step(self.at[seat], actions[seat] as usize) else { continue };
                let frightens = |other: usize| self.at[other] == cell && self.strength[other] > self.strength[seat];
                if !self.living().any(frightens) {
                    goal[seat] = cell;
                }
            }
        }
        self.at = goal;
    }

    /// The strongest players on a cell eat the others and share half of their strength. 同格者中最强者吃掉其他人，分得其一半力量。
    fn fight(&mut self, cell: usize) {
        let here: Vec<usize> = self.living().filter(|&seat| self.at[seat] == cell).collect();
        let most = here.iter().map(|&seat| self.strength[seat]).max().unwrap_or(0);
        let (winners, eaten): (Vec<usize>, Vec<usize>) = here.iter().partition(|&&seat| self.strength[seat] == most);
        let mut loot = 0;
        for seat in eaten {
            let half = self.strength[seat] / 2;
            loot += half;
            self.strength[seat] -= half;
            self.alive[seat] = false;
        }
        for &seat in &winners {
            self.strength[seat] += loot / winners.len() as i64;
        }
    }

    /// Light travels until a wall, or around the maze back to its shooter. 金光一直前进，直到遇墙或绕回原处。
    fn fire_light(&mut self, shooter: usize, direction: usize) {
        self.strength[shooter] -= self.cost;
        let mut next = self.step(self.at[shooter], direction);
        while let Some(cell) = next.filter(|&cell| cell != self.at[shooter]) {
            for victim in self.living().filter(|&seat| self.at[seat] == cell).collect::<Vec<_>>() {
                self.strength[victim] = (2 * self.strength[victim] - 3 * self.cost) / 2;
                self.strength[shooter] = (2 * self.strength[shooter] + 3 * self.cost) / 2;
            }
            next = self.step(cell, direction);
        }
    }

    /// Fruit spawns around generators; a player alone on a cell eats its fruit. 产豆；独占格子的玩家吃掉豆子。
    fn eat_fruit(&mut self) {
        self.turns_to_spawn -= 1;
        if self.turns_to_spawn == 0 {
            self.turns_to_spawn = self.interval;
            for cell in 0..MOST_CELLS {
                self.small[cell] |= self.spawn_cells[cell] && !self.large[cell];
            }
        }
        for seat in self.living() {
            let cell = self.at[seat];
            if self.living().any(|other| other != seat && self.at[other] == cell) {
                continue;
            }
            if std::mem::take(&mut self.small[cell]) {
                self.strength[seat] += 1;
            } else if std::mem::take(&mut self.large[cell]) {
                if self.boost[seat] == 0 {
                    self.strength[seat] += self.boost_strength;
                }
                self.boost[seat] += self.boost_turns;
            }
        }
    }

    /// Boosts expire. 大豆的增益到期。
    fn expire_boosts(&mut self) {
        for seat in self.living() {
            if self.boost[seat] == 0 {
                continue;
            }
            self.boost[seat] -= 1;
            if self.boost[seat] == 0 {
                self.strength[seat] -= self.boost_strength;
                if self.strength[seat] <= 0 {
                    self.die(seat);
                }
            }
        }
    }
    // [with search]

    pub fn cells(&self) -> usize {
        self.width * self.height
    }

    /// Returns a player's strength without its boost. 不算增益的力量。
    pub fn lasting_strength(&self, seat: usize) -> i64 {
        let boost = if self.boost[seat] > 0 { self.boost_strength } else { 0 };
        (self.strength[seat] - boost).max(0)
    }
    // [with simple]

    /// Returns the steps through the maze from a cell to the nearest target. 迷宫中的真实距离。
    pub fn steps_to(&self, start: usize, targets: &Cells, blocked: &Cells) -> Option<usize> {
        let mut queue = vec![(start, 0)];
        let mut reached = NO_CELLS;
        reached[start] = true;
        let mut head = 0;
        while let Some(&(cell, steps)) = queue.get(head) {
            if targets[cell] {
                return Some(steps);
            }
            for next in (0..4).filter_map(|direction| self.step(cell, direction)) {
                if !reached[next] && !blocked[next] {
                    reached[next] = true;
                    queue.push((next, steps + 1));
                }
            }
            head += 1;
        }
        None
    }
    // [with all]
}
