// A bot for Botzone's Pacman2: it walks to the nearest fruit and avoids stronger players.
// Botzone 吃豆人2 的程序：走向最近的豆子，避开更强的玩家。
//
// INPUT, one line of JSON. 输入是一行 JSON：
//   started (启动时)      {"requests": [first, turn, turn, ...], "responses": [...], "data": "", "globaldata": ""}
//   kept running (长时运行) turn
//   first  {"id": my seat 我的编号, "width", "height", "static": walls 墙, "content": players and fruit 玩家与豆子, ...}
//   turn   {"0": {"action": 1}, "1": {"action": -10, "reason": ...}, "2": null, ...}
//          each seat's action; -10: no valid answer; null: dead. 该回合各玩家的动作；-10 表示回答无效；null 表示已死亡
// OUTPUT. 输出：{"response": {"action": a}}; a is -1 stay 不动, 0 to 3 walk 走, 4 to 7 shoot light 发射金光: up right down left 上右下左
// Print nothing else to standard output; use console.error for debugging. 其他内容只能用 console.error 输出。
"use strict";

const STAY = -1;
const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]]; // up, right, down, left: row and column
const SEATS = [0, 1, 2, 3];
const DIRECTIONS = [0, 1, 2, 3];

/** The position, updated turn by turn by the rules. 局面，按规则逐回合推演。 */
class Game {
    constructor(first) {
        this.me = first.id;
        this.width = first.width;
        this.height = first.height;
        this.interval = this.turnsToSpawn = first.GENERATOR_INTERVAL;
        this.boostTurns = first.LARGE_FRUIT_DURATION;
        this.boostStrength = first.LARGE_FRUIT_ENHANCEMENT;
        this.cost = first.SKILL_COST;
        // Cells are numbered row by row. static: bits 1 2 4 8 are walls up, right, down, left; 16 is a generator.
        // 格子按行编号；static 的 1 2 4 8 是上右下左的墙，16 是产生器。
        this.walls = first.static.flat();
        const cells = [...this.walls.keys()];
        const isGenerator = cell => (this.walls[cell] & 16) !== 0;
        const around = cell => [-1, 0, 1].flatMap(row => [-1, 0, 1].map(col => this.shift(cell, row, col)));
        this.spawnCells = new Set(cells.filter(isGenerator).flatMap(around).filter(cell => !isGenerator(cell)));
        // content: bits 1 2 4 8 are players 0 to 3, 16 small fruit, 32 large fruit. 1 2 4 8 是玩家，16 是小豆，32 是大豆。
        const content = first.content.flat();
        this.small = new Set(cells.filter(cell => content[cell] & 16));
        this.large = new Set(cells.filter(cell => content[cell] & 32));
        this.at = SEATS.map(seat => content.findIndex(bits => bits >> seat & 1));
        this.strength = [1, 1, 1, 1];
        this.boost = [0, 0, 0, 0];
        this.alive = [true, true, true, true];
        this.turn = 0;
    }

    /** Returns the cell `rows` down and `cols` to the right; the maze wraps around. 迷宫上下左右相通。 */
    shift(cell, rows, cols) {
        const row = Math.floor(cell / this.width), col = cell % this.width;
        return (row + rows + this.height) % this.height * this.width + (col + cols + this.width) % this.width;
    }

    /** Returns the next cell in a direction, or null if a wall blocks it. 该方向的下一格；有墙则为 null。 */
    step(cell, direction) {
        return this.walls[cell] >> direction & 1 ? null : this.shift(cell, ...STEPS[direction]);
    }

    living() {
        return SEATS.filter(seat => this.alive[seat]);
    }

    isLegal(seat, action) {
        if (action >= 0 && action < 4) return this.step(this.at[seat], action) !== null;
        if (action >= 4 && action < 8) return this.strength[seat] > this.cost;
        return action === STAY;
    }

    die(seat) {
        this.alive[seat] = false;
        this.strength[seat] = 0;
    }

    /** Plays one turn with the actions of all players. 按所有玩家的动作推演一回合。 */
    play(turn) {
        const actions = SEATS.map(seat => turn[seat]?.action ?? STAY);
        // An illegal action kills its player; no player walks onto a stronger one. 非法动作死亡；不敢走向更强者。
        const goal = [...this.at];
        for (const seat of this.living()) {
            if (!this.isLegal(seat, actions[seat])) {
                this.die(seat);
            } else if (actions[seat] >= 0 && actions[seat] < 4) {
                const cell = this.step(this.at[seat], actions[seat]);
                const frightens = other => this.at[other] === cell && this.strength[other] > this.strength[seat];
                if (!this.living().some(frightens)) goal[seat] = cell;
            }
        }
        this.at = goal;
        // The strongest players on a cell eat the others and share half of their strength. 同格者中最强者吃掉其他人，分得其一半力量。
        for (const cell of new Set(this.living().map(seat => this.at[seat]))) {
            const here = this.living().filter(seat => this.at[seat] === cell);
            const most = Math.max(...here.map(seat => this.strength[seat]));
            const winners = here.filter(seat => this.strength[seat] === most);
            let loot = 0;
            for (const seat of here.filter(seat => !winners.includes(seat))) {
                const half = Math.trunc(this.strength[seat] / 2);
                loot += half;
                this.strength[seat] -= half;
                this.alive[seat] = false;
            }
            for (const seat of winners) this.strength[seat] += Math.trunc(loot / winners.length);
        }
        // Light travels until a wall, or around the maze back to its shooter. 金光一直前进，直到遇墙或绕回原处。
        for (const shooter of this.living().filter(seat => actions[seat] >= 4)) {
            this.strength[shooter] -= this.cost;
            let cell = this.step(this.at[shooter], actions[shooter] - 4);
            while (cell !== null && cell !== this.at[shooter]) {
                for (const victim of this.living().filter(seat => this.at[seat] === cell)) {
                    this.strength[victim] = Math.trunc((2 * this.strength[victim] - 3 * this.cost) / 2);
                    this.strength[shooter] = Math.trunc((2 * this.strength[shooter] + 3 * this.cost) / 2);
                }
                cell = this.step(cell, actions[shooter] - 4);
            }
        }
        for (const seat of this.living()) if (this.strength[seat] <= 0) this.die(seat);
        // Fruit spawns around generators; a player alone on a cell eats its fruit. 产豆；独占格子的玩家吃掉豆子。
        this.turnsToSpawn--;
        if (this.turnsToSpawn === 0) {
            this.turnsToSpawn = this.interval;
            for (const cell of this.spawnCells) if (!this.large.has(cell)) this.small.add(cell);
        }
        for (const seat of this.living()) {
            const cell = this.at[seat];
            if (this.living().some(other => other !== seat && this.at[other] === cell)) continue;
            if (this.small.delete(cell)) {
                this.strength[seat]++;
            } else if (this.large.delete(cell)) {
                if (this.boost[seat] === 0) this.strength[seat] += this.boostStrength;
                this.boost[seat] += this.boostTurns;
            }
        }
        // Boosts expire. 大豆的增益到期。
        for (const seat of this.living().filter(seat => this.boost[seat] > 0)) {
            this.boost[seat]--;
            if (this.boost[seat] > 0) continue;
            this.strength[seat] -= this.boostStrength;
            if (this.strength[seat] <= 0) this.die(seat);
        }
        this.turn++;
    }

    /** Returns the steps through the maze from a cell to the nearest target, or Infinity. 迷宫中的真实距离。 */
    stepsTo(start, targets, blocked) {
        const reached = new Set([start]);
        let border = [start];
        for (let steps = 0; border.length > 0; steps++) {
            if (border.some(cell => targets.has(cell))) return steps;
            const nearby = border.flatMap(cell => DIRECTIONS.map(direction => this.step(cell, direction)));
            border = [...new Set(nearby)].filter(cell => cell !== null && !reached.has(cell) && !blocked.has(cell));
            for (const cell of border) reached.add(cell);
        }
        return Infinity;
    }
}

/** Chooses the next action. Change this! 选择动作，从这里改起！ */
function decide(game) {
    const me = game.me, here = game.at[me];
    const others = game.living().filter(seat => seat !== me);
    // Cells that a stronger player can reach this turn. 更强的玩家本回合能到的格子。
    const stronger = others.filter(seat => game.strength[seat] > game.strength[me]).map(seat => game.at[seat]);
    const danger = new Set(stronger.flatMap(cell => [cell, ...DIRECTIONS.map(direction => game.step(cell, direction))]));
    const fruit = new Set([...game.small, ...game.large]);
    const targets = fruit.size > 0 ? fruit : game.spawnCells;
    // The order of directions changes each turn; else four such bots would circle forever. 让方向的先后随回合变化。
    const directions = DIRECTIONS.map(direction => (direction + game.turn + me) % 4);
    const moves = [...directions.map(action => [action, game.step(here, action)]), [STAY, here]];
    const cost = ([, cell]) => [
        danger.has(cell) ? 1 : 0,
        others.some(seat => game.at[seat] === cell) ? 1 : 0, // players that share a cell eat nothing 同格者吃不到豆子
        game.stepsTo(cell, targets, danger), // avoiding danger if possible 尽量绕开危险
        game.stepsTo(cell, targets, new Set()),
    ];
    const possible = moves.filter(([, cell]) => cell !== null).map(move => ({ action: move[0], cost: cost(move) }));
    const isBetter = (one, other) => {
        const at = one.findIndex((value, index) => value !== other[index]);
        return at >= 0 && one[at] < other[at];
    };
    return possible.reduce((best, move) => isBetter(move.cost, best.cost) ? move : best).action;
}

let game = null;
require("readline").createInterface({ input: process.stdin }).on("line", line => {
    if (line.trim() === "") return;
    const message = JSON.parse(line);
    if (message.requests) { // just started: the whole history 刚启动：全部历史
        game = new Game(message.requests[0]);
        for (const turn of message.requests.slice(1)) game.play(turn);
    } else { // kept running: only the last turn 长时运行：只有上一回合
        game.play(message);
    }
    // debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
    const debug = `strengths [${game.strength.join(", ")}] cells [${game.at.join(", ")}]`;
    console.log(JSON.stringify({ response: { action: decide(game) }, debug }));
    console.log(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"); // asks to keep running 请求长时运行
});
