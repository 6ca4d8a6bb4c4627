//! The position, played along turn by turn. 局面，按规则逐回合推演。

use crate::json::Json;

pub const STAY: i64 = -1;
pub const MOST_CELLS: usize = 11 * 11;
/// A yes or no for each cell; cells are numbered row by row. 格子按行编号。
pub type Cells = [bool; MOST_CELLS];
pub const NOBODY: Cells = [false; MOST_CELLS];

/// Up, right, down, left: rows and columns. 上右下左。
const STEPS: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

pub struct Game {
    pub me: usize,
    pub turn: usize,
    pub at: [usize; 4],
    pub strength: [i64; 4],
    pub alive: [bool; 4],
    pub small: Cells,
    pub large: Cells,
    /// Where fruit will be born. 果子产生的位置。
    pub births: Cells,
    width: usize,
    height: usize,
    walls: [i64; MOST_CELLS],
    boost: [i64; 4],
    interval: i64,
    turns_to_birth: i64,
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
            small: NOBODY,
            large: NOBODY,
            births: NOBODY,
            width: number("width") as usize,
            height: number("height") as usize,
            walls: [0; MOST_CELLS],
            boost: [0; 4],
            interval: number("GENERATOR_INTERVAL"),
            turns_to_birth: number("GENERATOR_INTERVAL"),
            boost_turns: number("LARGE_FRUIT_DURATION"),
            boost_strength: number("LARGE_FRUIT_ENHANCEMENT"),
            cost: number("SKILL_COST"),
        };
        // static: bits 1 2 4 8 are walls up, right, down, left; 16 is a generator. 1 2 4 8 是上右下左的墙，16 是果子产生器。
        let walls = first.get("static").items().iter().flat_map(Json::items);
        walls.enumerate().for_each(|(cell, bits)| game.walls[cell] = bits.number());
        // content: bits 1 2 4 8 are players 0 to 3, 16 small fruit, 32 large fruit. 1 2 4 8 是玩家，16 小果子，32 大果子。
        for (cell, bits) in first.get("content").items().iter().flat_map(Json::items).map(Json::number).enumerate() {
            game.small[cell] = bits & 16 != 0;
            game.large[cell] = bits & 32 != 0;
            (0..4).filter(|seat| bits >> seat & 1 == 1).for_each(|seat| game.at[seat] = cell);
        }
        for cell in (0..game.width * game.height).filter(|&cell| game.walls[cell] & 16 != 0) {
            for (rows, cols) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
                let birth = game.shift(cell, rows, cols);
                game.births[birth] = game.walls[birth] & 16 == 0;
            }
        }
        game
    }

    /// The cell so many rows down and columns to the right; the field wraps. 地图上下左右相通。
    fn shift(&self, cell: usize, rows: isize, cols: isize) -> usize {
        let row = (cell / self.width).wrapping_add_signed(rows).wrapping_add(self.height) % self.height;
        let col = (cell % self.width).wrapping_add_signed(cols).wrapping_add(self.width) % self.width;
        row * self.width + col
    }

    /// The next cell in a direction, unless a wall is there.
    pub fn step(&self, cell: usize, direction: usize) -> Option<usize> {
        let (rows, cols) = STEPS[direction];
        (self.walls[cell] >> direction & 1 == 0).then(|| self.shift(cell, rows, cols))
    }

    pub fn living(&self) -> impl Iterator<Item = usize> {
        let alive = self.alive;
        (0..4).filter(move |&seat| alive[seat])
    }

    fn is_legal(&self, seat: usize, action: i64) -> bool {
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

    /// One turn, after what everybody asked for. 按大家的动作推演一回合。
    pub fn play(&mut self, asked: &Json) {
        let actions: [i64; 4] = std::array::from_fn(|seat| asked.get(&seat.to_string()).get("action").number());
        self.walk(&actions);
        for seat in 0..4 {
            self.fight(self.at[seat]);
        }
        for seat in self.living().filter(|&seat| (4..8).contains(&actions[seat])) {
            self.shine(seat, actions[seat] as usize - 4);
        }
        for seat in self.living() {
            if self.strength[seat] <= 0 {
                self.die(seat);
            }
        }
        self.eat_fruit();
        self.wear_off_boosts();
        self.turn += 1;
    }

    /// Who asks for something illegal dies; who would walk to somebody stronger stays. 非法动作死亡；不敢走向更强者。
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

    /// The strongest on a cell eat half of the others' strength. 同格者强者吃弱者一半的力量。
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

    /// Lights fly on until a wall or all the way round. 光一直飞到墙或绕回原处。
    fn shine(&mut self, shooter: usize, direction: usize) {
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

    /// Fruit is born around generators, then eaten by who stands alone on it. 产生果子，独占格子者吃掉。
    fn eat_fruit(&mut self) {
        self.turns_to_birth -= 1;
        if self.turns_to_birth == 0 {
            self.turns_to_birth = self.interval;
            for cell in 0..MOST_CELLS {
                self.small[cell] |= self.births[cell] && !self.large[cell];
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

    fn wear_off_boosts(&mut self) {
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

    /// Steps through the maze from a cell to the nearest one that is wanted. 迷宫中的真实距离。
    pub fn steps_to(&self, start: usize, wanted: &Cells, barred: &Cells) -> Option<usize> {
        let mut queue = vec![(start, 0)];
        let mut reached = NOBODY;
        reached[start] = true;
        let mut head = 0;
        while let Some(&(cell, steps)) = queue.get(head) {
            if wanted[cell] {
                return Some(steps);
            }
            for next in (0..4).filter_map(|direction| self.step(cell, direction)) {
                if !reached[next] && !barred[next] {
                    reached[next] = true;
                    queue.push((next, steps + 1));
                }
            }
            head += 1;
        }
        None
    }
}
