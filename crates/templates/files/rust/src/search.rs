//! The search: it plays on from the position many times and takes the action that turns out best.
//! 搜索：从当前局面试走很多次，选出结果最好的动作。

use std::time::{Duration, Instant};

use crate::game::{Cells, Game, MOST_CELLS, STAY};

/// How many turns each attempt lasts. 每次试走多少回合。
const DEPTH: usize = 8;
/// How many attempts each action has. 每个动作试走多少次。
const ATTEMPTS: usize = 300;
/// The time for a turn. 每回合的时间。
const TIME: Duration = Duration::from_millis(700);
/// Farther than any cell. 比任何格子都远。
const FAR: usize = 1000;

/// The steps through the maze from each cell to each other one. 迷宫中每两格之间的真实距离。
type Distances = Vec<[usize; MOST_CELLS]>;

/// Tries each action in several attempts, and takes that with the highest mean. 每个动作试走多次，取平均最高的。
pub fn decide(game: &Game) -> i64 {
    let deadline = Instant::now() + TIME;
    let distances = distances(game);
    let mut sums: Vec<(i64, f64)> =
        (STAY..8).filter(|&action| game.is_legal(game.me, action)).map(|action| (action, 0.0)).collect();
    for number in 0..ATTEMPTS {
        for (action, sum) in &mut sums {
            // The same chance for all actions: a fair comparison, and the same answer each time.
            // 各动作用同样的随机数，比较才公平，回答也能重现。
            let mut random = Random((10_000 * game.turn + 10 * number + game.me) as u64);
            *sum += attempt(game, *action, &distances, &mut random);
        }
        if Instant::now() > deadline {
            break;
        }
    }
    let best = sums.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    best.map_or(STAY, |(action, _)| action)
}

/// Plays on after an action, and returns what came of it. 走了这个动作之后继续试走，返回结果。
fn attempt(game: &Game, action: i64, distances: &Distances, random: &mut Random) -> f64 {
    let mut game = game.clone();
    for depth in 0..DEPTH.min(100_usize.saturating_sub(game.turn)) {
        let mut actions = [STAY; 4];
        for seat in game.living() {
            actions[seat] = stroll(&game, seat, distances, random);
        }
        if depth == 0 {
            actions[game.me] = action;
        }
        game.advance(&actions);
    }
    value(&game, distances)
}

/// A quick action: to the nearest fruit and away from stronger players, or any.
/// 随手一步：走向最近的豆子，避开强者；有时随便选。
fn stroll(game: &Game, seat: usize, distances: &Distances, random: &mut Random) -> i64 {
    if random.below(4) == 0 {
        let actions: Vec<i64> = (STAY..8).filter(|&action| game.is_legal(seat, action)).collect();
        return actions[random.below(actions.len())];
    }
    let here = game.at[seat];
    let walks = (0..4).filter_map(|direction| Some((direction as i64, game.step(here, direction)?)));
    let targets = targets(game);
    let cost = |&(_, cell): &(i64, usize)| {
        let is_near = |other: usize| game.strength[other] > game.strength[seat] && distances[cell][game.at[other]] < 2;
        (game.living().any(is_near), nearest(&distances[cell], &targets))
    };
    [(STAY, here)].into_iter().chain(walks).min_by_key(cost).map_or(STAY, |(action, _)| action)
}

/// What a position is worth: Botzone's score without boosts, as if the game ended now. Change this!
/// 局面的价值：不算增益、按现在结束计算的得分。从这里改起！
fn value(game: &Game, distances: &Distances) -> f64 {
    let lasting: [i64; 4] = std::array::from_fn(|seat| game.lasting_strength(seat));
    let own = lasting[game.me];
    let place = 1 + lasting.iter().filter(|&&strength| strength < own).count();
    let score = 10.0 * place as f64 + 100.0 * own as f64 / lasting.iter().sum::<i64>().max(1) as f64;
    if !game.alive[game.me] {
        // The dead gain nothing in the turns that remain. 死后再也得不到什么。
        return score * game.turn as f64 / 100.0;
    }
    score - 0.2 * nearest(&distances[game.at[game.me]], &targets(game)) as f64
}

/// Where there is fruit, or where it will be. 有豆子的格子；没有豆子时为产豆的格子。
fn targets(game: &Game) -> Cells {
    let fruit: Cells = std::array::from_fn(|cell| game.small[cell] || game.large[cell]);
    if fruit.contains(&true) { fruit } else { game.spawn_cells }
}

fn nearest(row: &[usize; MOST_CELLS], targets: &Cells) -> usize {
    row.iter().zip(targets).filter(|(_, is_target)| **is_target).map(|(steps, _)| *steps).min().unwrap_or(FAR)
}

fn distances(game: &Game) -> Distances {
    let from = |start: usize| {
        let mut row = [FAR; MOST_CELLS];
        row[start] = 0;
        let mut queue = vec![start];
        let mut head = 0;
        while let Some(&cell) = queue.get(head) {
            for nearby in (0..4).filter_map(|direction| game.step(cell, direction)) {
                if row[nearby] == FAR {
                    row[nearby] = row[cell] + 1;
                    queue.push(nearby);
                }
            }
            head += 1;
        }
        row
    };
    (0..game.cells()).map(from).collect()
}

/// Random numbers with a seed: SplitMix64. 带种子的随机数。
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % limit as u64) as usize
    }
}
