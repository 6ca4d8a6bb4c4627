// [with simple]
//! A bot for Pacman2: it walks to the nearest fruit and avoids stronger players.
//! 吃豆人2 的程序：走向最近的豆子，避开更强的玩家。
// [with search]
//! A bot for Pacman2 that searches: it plays on from the position many times and takes the best action.
//! 吃豆人2 的程序：从当前局面试走很多次，选出结果最好的动作。
// [with all]
//!
//! INPUT, one line of JSON. 输入是一行 JSON：
//!   started (启动时)      {"requests": [first, turn, turn, ...], "responses": [...], "data": "", "globaldata": ""}
//!   kept running (长时运行) turn
//!   first  {"id": my seat 我的编号, "width", "height", "static": walls 墙, "content": players and fruit 玩家与豆子, ...}
//!   turn   {"0": {"action": 1}, "1": {"action": -10, "reason": ...}, "2": null, ...}
//!          each seat's action; -10: no valid answer; null: dead. 该回合各玩家的动作；-10 表示回答无效；null 表示已死亡
//! OUTPUT. 输出：{"response": {"action": a}}; a is -1 stay 不动, 0 to 3 walk 走, 4 to 7 shoot light 发射金光: up right down left 上右下左
//! Print nothing else to standard output; use eprintln! for debugging. 其他内容只能用 eprintln! 输出。

mod game;
mod json;
// [with search]
mod search;
// [with all]

use std::io::{self, BufRead, Write};

// [with simple]
use game::{Cells, Game, MOST_CELLS, NO_CELLS, STAY};
// [with search]
use game::Game;
// [with all]
use json::Json;
// [with search]
use search::decide;
// [with all]

fn main() {
    let mut game: Option<Game> = None;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.expect("the input is text");
        if line.trim().is_empty() {
            continue;
        }
        let message = Json::read(&line);
        match (message.get("requests").items(), &mut game) {
            // Just started: the whole history. 刚启动：全部历史。
            ([first, turns @ ..], _) => {
                let game = game.insert(Game::new(first));
                turns.iter().for_each(|turn| game.play(turn));
            }
            // Kept running: only the last turn. 长时运行：只有上一回合。
            ([], Some(game)) => game.play(&message),
            ([], None) => panic!("no requests in the first line"),
        }
        let game = game.as_ref().expect("a game has begun");
        // debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
        let debug = format!("strengths {:?} cells {:?}", game.strength, game.at);
        let answer = format!(r#"{{"response":{{"action":{}}},"debug":"{debug}"}}"#, decide(game));
        // The second line asks to keep running. 第二行请求长时运行。
        writeln!(output, "{answer}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<").expect("standard output is open");
        output.flush().expect("standard output is open");
    }
}
// [with simple]

/// Chooses the next action. Change this! 选择动作，从这里改起！
fn decide(game: &Game) -> i64 {
    let (me, here) = (game.me, game.at[game.me]);
    // Cells that a stronger player can reach this turn. 更强的玩家本回合能到的格子。
    let mut danger: Cells = NO_CELLS;
    let mut taken: Cells = NO_CELLS;
    for seat in game.living().filter(|&seat| seat != me) {
        taken[game.at[seat]] = true;
        if game.strength[seat] > game.strength[me] {
            danger[game.at[seat]] = true;
            (0..4).filter_map(|direction| game.step(game.at[seat], direction)).for_each(|cell| danger[cell] = true);
        }
    }
    let fruit: Cells = std::array::from_fn::<_, MOST_CELLS, _>(|cell| game.small[cell] || game.large[cell]);
    let targets = if fruit.contains(&true) { fruit } else { game.spawn_cells };
    // The order of directions changes each turn; else four such bots would circle forever. 让方向的先后随回合变化。
    let directions = (0..4).map(|number| (number + game.turn + me) % 4);
    let walks = directions.filter_map(|direction| Some((direction as i64, game.step(here, direction)?)));
    let cost = |&(_, cell): &(i64, usize)| {
        let far = usize::MAX;
        // Avoid danger if possible. 尽量绕开危险。
        let around = game.steps_to(cell, &targets, &danger).unwrap_or(far);
        let through = game.steps_to(cell, &targets, &NO_CELLS).unwrap_or(far);
        // Players that share a cell eat nothing. 同格者吃不到豆子。
        (danger[cell], taken[cell], around, through)
    };
    walks.chain([(STAY, here)]).min_by_key(cost).map_or(STAY, |(action, _)| action)
}
