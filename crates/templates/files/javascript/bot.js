// [with simple]
// A bot for Botzone's Pacman2: it walks to the nearest fruit and avoids stronger players.
// Botzone 吃豆人2 的程序：走向最近的豆子，避开更强的玩家。
// [with search]
// A bot for Botzone's Pacman2 that searches: it plays on from the position many times and takes the best action.
// Botzone 吃豆人2 的程序：从当前局面试走很多次，选出结果最好的动作。
// [with all]
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

    /** Plays the turn of a message. 推演消息里的一回合。 */
    play(turn) {
        this.advance(SEATS.map(seat => turn[seat]?.action ?? STAY));
    }

    /** Plays one turn with the actions of all players. 按所有玩家的动作推演一回合。 */
    advance(actions) {
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
// [with simple]

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
// [with all]
}

// [with search]
const ACTIONS = [STAY, 0, 1, 2, 3, 4, 5, 6, 7];
const DEPTH = 8; // how many turns each attempt lasts 每次试走多少回合
const ATTEMPTS = 100; // for each action 每个动作试走多少次
const SECONDS = 1.2; // of the two that Botzone gives JavaScript Botzone 给 JavaScript 两秒

/** Tries each action in several attempts, and takes that with the highest mean. 每个动作试走多次，取平均最高的。 */
function decide(game) {
    const deadline = performance.now() + 1000 * SECONDS;
    const distance = distances(game);
    const actions = ACTIONS.filter(action => game.isLegal(game.me, action));
    const sums = actions.map(() => 0);
    for (let number = 0; number < ATTEMPTS && performance.now() < deadline; number++) {
        actions.forEach((action, index) => {
            // The same chance for all actions: a fair comparison, and the same answer each time. 各动作用同样的随机数，比较才公平，回答也能重现。
            const random = generator(1000 * game.turn + 10 * number + game.me);
            sums[index] += attempt(game, action, distance, random);
        });
    }
    return actions[sums.indexOf(Math.max(...sums))];
}

/** Plays on after an action, and returns what came of it. 走了这个动作之后继续试走，返回结果。 */
function attempt(original, action, distance, random) {
    const game = Object.assign(Object.create(Game.prototype), original);
    game.small = new Set(original.small);
    game.large = new Set(original.large);
    for (const list of ["strength", "boost", "alive"]) game[list] = [...original[list]];
    for (let depth = 0; depth < Math.min(DEPTH, 100 - original.turn); depth++) {
        const actions = SEATS.map(seat => (game.alive[seat] ? stroll(game, seat, distance, random) : STAY));
        if (depth === 0) actions[game.me] = action;
        game.advance(actions);
    }
    return value(game, distance);
}

/** A quick action: to the nearest fruit and away from stronger players, or any. 随手一步：走向最近的豆子，避开强者；有时随便选。 */
function stroll(game, seat, distance, random) {
    if (random() < 0.25) {
        const actions = ACTIONS.filter(action => game.isLegal(seat, action));
        return actions[Math.floor(random() * actions.length)];
    }
    const here = game.at[seat];
    const moves = [[STAY, here], ...DIRECTIONS.map(direction => [direction, game.step(here, direction)])].filter(([, cell]) => cell !== null);
    const targets = game.small.size > 0 ? game.small : game.large.size > 0 ? game.large : game.spawnCells;
    const stronger = game.living().filter(other => game.strength[other] > game.strength[seat]).map(other => game.at[other]);
    let [best, least] = [STAY, Infinity];
    for (const [action, cell] of moves) {
        const row = distance[cell];
        const cost = (stronger.some(at => row[at] < 2) ? 1000 : 0) + nearest(row, targets);
        if (cost < least) [best, least] = [action, cost];
    }
    return best;
}

/**
 * What a position is worth: Botzone's score without boosts, as if the game ended now. Change this!
 * 局面的价值：不算增益、按现在结束计算的得分。从这里改起！
 */
function value(game, distance) {
    const lasting = SEATS.map(seat => Math.max(game.strength[seat] - (game.boost[seat] > 0 ? game.boostStrength : 0), 0));
    const own = lasting[game.me];
    const place = 1 + lasting.filter(strength => strength < own).length;
    const score = 10 * place + 100 * own / Math.max(lasting.reduce((sum, one) => sum + one, 0), 1);
    if (!game.alive[game.me]) return score * game.turn / 100; // the dead gain nothing in the turns that remain 死后再也得不到什么
    const fruit = [...game.small, ...game.large];
    return score - 0.2 * nearest(distance[game.at[game.me]], fruit.length > 0 ? fruit : game.spawnCells);
}

function nearest(row, targets) {
    let least = 1000;
    for (const cell of targets) least = Math.min(least, row[cell]);
    return least;
}

/** Returns the steps through the maze from each cell to each other one. 迷宫中每两格之间的真实距离。 */
function distances(game) {
    return game.walls.map((_, start) => {
        const row = game.walls.map(() => 1000);
        row[start] = 0;
        const queue = [start];
        for (const cell of queue) {
            for (const nearby of DIRECTIONS.map(direction => game.step(cell, direction))) {
                if (nearby === null || row[nearby] < 1000) continue;
                row[nearby] = row[cell] + 1;
                queue.push(nearby);
            }
        }
        return row;
    });
}

/** A generator of random numbers with a seed: mulberry32. 带种子的随机数。 */
function generator(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let bits = Math.imul(seed ^ (seed >>> 15), seed | 1);
        bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
        return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
    };
}
// [with simple]
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
// [with all]

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
