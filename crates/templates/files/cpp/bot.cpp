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
// Print nothing else to standard output; use std::cerr for debugging. 其他内容只能用 std::cerr 输出。

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

// A small JSON parser. 一个小的 JSON 解析器。

struct Json {
    long number = 0;
    std::string text;
    std::vector<std::string> keys; // of an object 对象的键
    std::vector<Json> items;       // of an object or a list 对象或数组的值
    bool is_null = true;

    const Json& operator[](const std::string& key) const {
        static const Json none;
        for (size_t i = 0; i < keys.size(); i++)
            if (keys[i] == key) return items[i];
        return none;
    }
};

struct Reader {
    const char* p;

    void skip() {
        while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == ',' || *p == ':') p++;
    }

    std::string string() {
        std::string text;
        for (p++; *p && *p != '"'; p++) {
            if (*p == '\\' && p[1]) p++; // escape sequences are not needed here 这里用不到转义
            text += *p;
        }
        if (*p) p++;
        return text;
    }

    Json read() {
        Json json;
        skip();
        if (*p == '{' || *p == '[') {
            const char end = *p++ == '{' ? '}' : ']';
            for (skip(); *p && *p != end; skip()) {
                if (end == '}') json.keys.push_back(string());
                json.items.push_back(read());
            }
            if (*p) p++;
            json.is_null = false;
        } else if (*p == '"') {
            json.text = string();
            json.is_null = false;
        } else {
            json.is_null = *p == 'n';
            char* end;
            json.number = std::strtol(p, &end, 10);
            p = std::max<const char*>(end, p + (*p ? 1 : 0));
            while (*p && !std::strchr(",]} \t\r\n", *p)) p++;
        }
        return json;
    }
};

// The position, updated turn by turn by the rules. 局面，按规则逐回合推演。

constexpr int STAY = -1, WALL = -1, FAR = 1000;
constexpr int MOST_CELLS = 11 * 11;
using Cells = std::array<bool, MOST_CELLS>;

struct Game {
    int me, width, height, interval, turns_to_spawn, boost_turns, boost_strength, cost, turn = 0;
    std::array<int, MOST_CELLS> walls{};
    Cells spawn_cells{}, small{}, large{};
    int at[4] = {}, strength[4] = {1, 1, 1, 1}, boost[4] = {};
    bool alive[4] = {true, true, true, true};

    explicit Game(const Json& first) {
        me = first["id"].number;
        width = first["width"].number, height = first["height"].number;
        interval = turns_to_spawn = first["GENERATOR_INTERVAL"].number;
        boost_turns = first["LARGE_FRUIT_DURATION"].number;
        boost_strength = first["LARGE_FRUIT_ENHANCEMENT"].number;
        cost = first["SKILL_COST"].number;
        for (int cell = 0; cell < width * height; cell++) { // row by row 按行编号
            // static: bits 1 2 4 8 are walls up, right, down, left; 16 is a generator. 1 2 4 8 是上右下左的墙，16 是产生器。
            walls[cell] = first["static"].items[cell / width].items[cell % width].number;
            // content: bits 1 2 4 8 are players 0 to 3, 16 small fruit, 32 large fruit. 1 2 4 8 是玩家，16 是小豆，32 是大豆。
            const int content = first["content"].items[cell / width].items[cell % width].number;
            small[cell] = content & 16, large[cell] = content & 32;
            for (int seat = 0; seat < 4; seat++)
                if (content >> seat & 1) at[seat] = cell;
        }
        for (int cell = 0; cell < width * height; cell++)
            for (int around = 0; walls[cell] & 16 && around < 9; around++) {
                const int spawn = shift(cell, around / 3 - 1, around % 3 - 1);
                spawn_cells[spawn] = !(walls[spawn] & 16);
            }
    }

    // Returns the cell `rows` down and `cols` to the right; the maze wraps around. 迷宫上下左右相通。
    int shift(int cell, int rows, int cols) const {
        return (cell / width + rows + height) % height * width + (cell % width + cols + width) % width;
    }

    // Returns the next cell in a direction, or WALL. 该方向的下一格；有墙则为 WALL。
    int step(int cell, int direction) const {
        constexpr int ROWS[] = {-1, 0, 1, 0}, COLS[] = {0, 1, 0, -1};
        return walls[cell] >> direction & 1 ? WALL : shift(cell, ROWS[direction], COLS[direction]);
    }

    static bool is_walk(int action) { return 0 <= action && action < 4; }
    static bool is_shot(int action) { return 4 <= action && action < 8; }

    bool is_legal(int seat, int action) const {
        if (is_walk(action)) return step(at[seat], action) != WALL;
        if (is_shot(action)) return strength[seat] > cost;
        return action == STAY;
    }

    void die(int seat) { alive[seat] = false, strength[seat] = 0; }

    // Plays one turn with the actions of all players. 按所有玩家的动作推演一回合。
    void play(const Json& message) {
        int actions[4], goal[4];
        for (int seat = 0; seat < 4; seat++) {
            const Json& entry = message[std::to_string(seat)];
            actions[seat] = entry.is_null ? STAY : entry["action"].number;
            goal[seat] = at[seat];
        }
        // An illegal action kills its player; no player walks onto a stronger one. 非法动作死亡；不敢走向更强者。
        for (int seat = 0; seat < 4; seat++) {
            if (!alive[seat]) continue;
            if (!is_legal(seat, actions[seat])) die(seat);
            else if (is_walk(actions[seat])) {
                const int cell = step(at[seat], actions[seat]);
                bool frightened = false;
                for (int other = 0; other < 4; other++)
                    frightened |= alive[other] && at[other] == cell && strength[other] > strength[seat];
                if (!frightened) goal[seat] = cell;
            }
        }
        for (int seat = 0; seat < 4; seat++) at[seat] = goal[seat];
        for (int seat = 0; seat < 4; seat++) fight(at[seat]);
        for (int seat = 0; seat < 4; seat++)
            if (alive[seat] && is_shot(actions[seat])) fire_light(seat, actions[seat] - 4);
        for (int seat = 0; seat < 4; seat++)
            if (alive[seat] && strength[seat] <= 0) die(seat);
        eat_fruit();
        // Boosts expire. 大豆的增益到期。
        for (int seat = 0; seat < 4; seat++)
            if (alive[seat] && boost[seat] > 0 && --boost[seat] == 0) {
                strength[seat] -= boost_strength;
                if (strength[seat] <= 0) die(seat);
            }
        turn++;
    }

    // The strongest players on a cell eat the others and share half of their strength. 同格者中最强者吃掉其他人，分得其一半力量。
    void fight(int cell) {
        int most = 0, winners = 0, loot = 0;
        for (int seat = 0; seat < 4; seat++)
            if (alive[seat] && at[seat] == cell) most = std::max(most, strength[seat]);
        for (int seat = 0; seat < 4; seat++) {
            if (!alive[seat] || at[seat] != cell) continue;
            if (strength[seat] == most) winners++;
            else loot += strength[seat] / 2, strength[seat] -= strength[seat] / 2, alive[seat] = false;
        }
        for (int seat = 0; seat < 4; seat++)
            if (alive[seat] && at[seat] == cell) strength[seat] += loot / winners;
    }

    // Light travels until a wall, or around the maze back to its shooter. 金光一直前进，直到遇墙或绕回原处。
    void fire_light(int shooter, int direction) {
        strength[shooter] -= cost;
        for (int cell = step(at[shooter], direction); cell != WALL && cell != at[shooter]; cell = step(cell, direction))
            for (int victim = 0; victim < 4; victim++)
                if (alive[victim] && at[victim] == cell) {
                    strength[victim] = (2 * strength[victim] - 3 * cost) / 2;
                    strength[shooter] = (2 * strength[shooter] + 3 * cost) / 2;
                }
    }

    // Fruit spawns around generators; a player alone on a cell eats its fruit. 产豆；独占格子的玩家吃掉豆子。
    void eat_fruit() {
        if (--turns_to_spawn == 0) {
            turns_to_spawn = interval;
            for (int cell = 0; cell < width * height; cell++) small[cell] |= spawn_cells[cell] && !large[cell];
        }
        for (int seat = 0; seat < 4; seat++) {
            const int cell = at[seat];
            bool is_alone = alive[seat];
            for (int other = 0; other < 4; other++) is_alone &= other == seat || !alive[other] || at[other] != cell;
            if (!is_alone) continue;
            if (small[cell]) {
                small[cell] = false;
                strength[seat]++;
            } else if (large[cell]) {
                large[cell] = false;
                if (boost[seat] == 0) strength[seat] += boost_strength;
                boost[seat] += boost_turns;
            }
        }
    }

    // Returns the steps through the maze from a cell to the nearest target, or FAR. 迷宫中的真实距离。
    int steps_to(int start, const Cells& targets, const Cells& blocked) const {
        std::vector<int> queue{start}, steps(MOST_CELLS, FAR);
        steps[start] = 0;
        for (size_t i = 0; i < queue.size(); i++) {
            if (targets[queue[i]]) return steps[queue[i]];
            for (int direction = 0; direction < 4; direction++) {
                const int next = step(queue[i], direction);
                if (next == WALL || steps[next] != FAR || blocked[next]) continue;
                steps[next] = steps[queue[i]] + 1;
                queue.push_back(next);
            }
        }
        return FAR;
    }
};

// Chooses the next action. Change this! 选择动作，从这里改起！
int decide(const Game& game) {
    const int me = game.me, here = game.at[me];
    // Cells that a stronger player can reach this turn. 更强的玩家本回合能到的格子。
    Cells danger{}, taken{};
    for (int seat = 0; seat < 4; seat++) {
        if (seat == me || !game.alive[seat]) continue;
        taken[game.at[seat]] = true;
        if (game.strength[seat] <= game.strength[me]) continue;
        danger[game.at[seat]] = true;
        for (int direction = 0; direction < 4; direction++) {
            const int next = game.step(game.at[seat], direction);
            if (next != WALL) danger[next] = true;
        }
    }
    Cells targets{};
    for (int cell = 0; cell < MOST_CELLS; cell++) targets[cell] = game.small[cell] || game.large[cell];
    if (std::count(targets.begin(), targets.end(), true) == 0) targets = game.spawn_cells;
    std::tuple<bool, bool, int, int> least(true, true, FAR + 1, FAR + 1);
    int best = STAY;
    for (int number = 0; number < 5; number++) {
        // The order of directions changes each turn; else four such bots would circle forever. 让方向的先后随回合变化。
        const int action = number < 4 ? (number + game.turn + me) % 4 : STAY;
        const int cell = action == STAY ? here : game.step(here, action);
        if (cell == WALL) continue;
        // Players that share a cell eat nothing; avoid danger if possible. 同格者吃不到豆子；尽量绕开危险。
        const std::tuple<bool, bool, int, int> cost(
            danger[cell], taken[cell], game.steps_to(cell, targets, danger), game.steps_to(cell, targets, Cells{}));
        if (cost < least) least = cost, best = action;
    }
    return best;
}

std::string list(const int (&numbers)[4]) {
    std::string text;
    for (int number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
    return text + "]";
}

int main() {
    std::vector<Game> game; // empty before the first message 起初没有
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find('{') == std::string::npos) continue;
        const Json message = Reader{line.c_str()}.read();
        const std::vector<Json>& requests = message["requests"].items;
        if (requests.empty()) {
            if (game.empty()) return 1;
            game[0].play(message); // kept running: only the last turn 长时运行：只有上一回合
        } else { // just started: the whole history 刚启动：全部历史
            game = {Game(requests[0])};
            for (size_t turn = 1; turn < requests.size(); turn++) game[0].play(requests[turn]);
        }
        // debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
        std::cout << "{\"response\":{\"action\":" << decide(game[0]) << "},\"debug\":\"strengths " << list(game[0].strength)
                  << " cells " << list(game[0].at) << "\"}\n"
                  << ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<" << std::endl; // asks to keep running 请求长时运行
    }
}
