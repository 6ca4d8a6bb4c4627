# [with simple]
"""A bot for Botzone's Pacman2: it walks to the nearest fruit and avoids stronger players.
Botzone 吃豆人2 的程序：走向最近的豆子，避开更强的玩家。
# [with search]
"""A bot for Botzone's Pacman2 that searches: it plays on from the position many times and takes the best action.
Botzone 吃豆人2 的程序：从当前局面试走很多次，选出结果最好的动作。
# [with all]

INPUT, one line of JSON. 输入是一行 JSON：
  started (启动时)      {"requests": [first, turn, turn, ...], "responses": [...], "data": "", "globaldata": ""}
  kept running (长时运行) turn
  first  {"id": my seat 我的编号, "width", "height", "static": walls 墙, "content": players and fruit 玩家与豆子, ...}
  turn   {"0": {"action": 1}, "1": {"action": -10, "reason": ...}, "2": null, ...}
         each seat's action; -10: no valid answer; null: dead. 该回合各玩家的动作；-10 表示回答无效；null 表示已死亡
OUTPUT. 输出：{"response": {"action": a}}; a is -1 stay 不动, 0 to 3 walk 走, 4 to 7 shoot light 发射金光: up right down left 上右下左
Print nothing else to standard output; use standard error for debugging. 其他内容只能写到标准错误输出。
"""

# [with search]
import copy
# [with all]
import json
# [with search]
import random
# [with all]
import sys
# [with search]
import time
# [with all]

STAY = -1
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left: row and column
SEATS = range(4)


class Game:
    """The position, updated turn by turn by the rules. 局面，按规则逐回合推演。"""

    def __init__(self, first):
        self.me = first["id"]
        self.width, self.height = first["width"], first["height"]
        self.interval = self.turns_to_spawn = first["GENERATOR_INTERVAL"]
        self.boost_turns = first["LARGE_FRUIT_DURATION"]
        self.boost_strength = first["LARGE_FRUIT_ENHANCEMENT"]
        self.cost = first["SKILL_COST"]
        # Cells are numbered row by row. static: bits 1 2 4 8 are walls up, right, down, left; 16 is a generator.
        # 格子按行编号；static 的 1 2 4 8 是上右下左的墙，16 是产生器。
        self.walls = sum(first["static"], [])
        generators = {cell for cell, bits in enumerate(self.walls) if bits & 16}
        around = {self.shift(cell, row, col) for cell in generators for row in (-1, 0, 1) for col in (-1, 0, 1)}
        self.spawn_cells = around - generators
        # content: bits 1 2 4 8 are players 0 to 3, 16 small fruit, 32 large fruit. 1 2 4 8 是玩家，16 是小豆，32 是大豆。
        content = sum(first["content"], [])
        self.small = {cell for cell, bits in enumerate(content) if bits & 16}
        self.large = {cell for cell, bits in enumerate(content) if bits & 32}
        self.at = [next(cell for cell, bits in enumerate(content) if bits >> seat & 1) for seat in SEATS]
        self.strength = [1] * 4
        self.boost = [0] * 4
        self.alive = [True] * 4
        self.turn = 0

    def shift(self, cell, rows, cols):
        """Returns the cell `rows` down and `cols` to the right; the maze wraps around. 迷宫上下左右相通。"""
        row, col = divmod(cell, self.width)
        return (row + rows) % self.height * self.width + (col + cols) % self.width

    def step(self, cell, direction):
        """Returns the next cell in a direction, or None if a wall blocks it. 该方向的下一格；有墙则为 None。"""
        return None if self.walls[cell] >> direction & 1 else self.shift(cell, *STEPS[direction])

    def living(self):
        return [seat for seat in SEATS if self.alive[seat]]

    def is_legal(self, seat, action):
        if 0 <= action < 4:
            return self.step(self.at[seat], action) is not None
        if 4 <= action < 8:
            return self.strength[seat] > self.cost
        return action == STAY

    def die(self, seat):
        self.alive[seat] = False
        self.strength[seat] = 0

    def play(self, turn):
        """Plays the turn of a message. 推演消息里的一回合。"""
        self.advance([(turn[str(seat)] or {"action": STAY})["action"] for seat in SEATS])

    def advance(self, actions):
        """Plays one turn with the actions of all players. 按所有玩家的动作推演一回合。"""
        # An illegal action kills its player; no player walks onto a stronger one. 非法动作死亡；不敢走向更强者。
        goal = self.at[:]
        for seat in self.living():
            if not self.is_legal(seat, actions[seat]):
                self.die(seat)
            elif 0 <= actions[seat] < 4:
                cell = self.step(self.at[seat], actions[seat])
                if all(self.at[other] != cell or self.strength[other] <= self.strength[seat] for other in self.living()):
                    goal[seat] = cell
        self.at = goal
        # The strongest players on a cell eat the others and share half of their strength. 同格者中最强者吃掉其他人，分得其一半力量。
        for cell in {self.at[seat] for seat in self.living()}:
            here = [seat for seat in self.living() if self.at[seat] == cell]
            most = max(self.strength[seat] for seat in here)
            winners = [seat for seat in here if self.strength[seat] == most]
            loot = 0
            for seat in here:
                if seat not in winners:
                    loot += self.strength[seat] // 2
                    self.strength[seat] -= self.strength[seat] // 2
                    self.alive[seat] = False
            for seat in winners:
                self.strength[seat] += loot // len(winners)
        # Light travels until a wall, or around the maze back to its shooter. 金光一直前进，直到遇墙或绕回原处。
        for shooter in self.living():
            if 4 <= actions[shooter] < 8:
                self.strength[shooter] -= self.cost
                cell = self.step(self.at[shooter], actions[shooter] - 4)
                while cell is not None and cell != self.at[shooter]:
                    for victim in self.living():
                        if self.at[victim] == cell:
                            self.strength[victim] = int((2 * self.strength[victim] - 3 * self.cost) / 2)
                            self.strength[shooter] = int((2 * self.strength[shooter] + 3 * self.cost) / 2)
                    cell = self.step(cell, actions[shooter] - 4)
        for seat in self.living():
            if self.strength[seat] <= 0:
                self.die(seat)
        # Fruit spawns around generators; a player alone on a cell eats its fruit. 产豆；独占格子的玩家吃掉豆子。
        self.turns_to_spawn -= 1
        if self.turns_to_spawn == 0:
            self.turns_to_spawn = self.interval
            self.small |= self.spawn_cells - self.large
        for seat in self.living():
            cell = self.at[seat]
            if any(self.at[other] == cell for other in self.living() if other != seat):
                continue
            if cell in self.small:
                self.small.remove(cell)
                self.strength[seat] += 1
            elif cell in self.large:
                self.large.remove(cell)
                if self.boost[seat] == 0:
                    self.strength[seat] += self.boost_strength
                self.boost[seat] += self.boost_turns
        # Boosts expire. 大豆的增益到期。
        for seat in self.living():
            if self.boost[seat] > 0:
                self.boost[seat] -= 1
                if self.boost[seat] == 0:
                    self.strength[seat] -= self.boost_strength
                    if self.strength[seat] <= 0:
                        self.die(seat)
        self.turn += 1
# [with simple]

    def steps_to(self, start, targets, blocked):
        """Returns the steps through the maze from a cell to the nearest target, or None. 迷宫中的真实距离。"""
        reached, border, steps = {start}, [start], 0
        while border:
            if any(cell in targets for cell in border):
                return steps
            nearby = [self.step(cell, direction) for cell in border for direction in range(4)]
            border = list({cell for cell in nearby if cell is not None} - reached - blocked)
            reached.update(border)
            steps += 1
        return None
# [with all]


# [with search]
DEPTH = 8  # how many turns each attempt lasts 每次试走多少回合
ATTEMPTS = 40  # for each action 每个动作试走多少次
SECONDS = 2.0  # of the three that Botzone gives Python Botzone 给 Python 三秒


def decide(game):
    """Tries each action in several attempts, and takes that with the highest mean. 每个动作试走多次，取平均最高的。"""
    deadline = time.monotonic() + SECONDS
    distance = distances(game)
    actions = [action for action in range(STAY, 8) if game.is_legal(game.me, action)]
    sums = dict.fromkeys(actions, 0.0)
    for number in range(ATTEMPTS):
        for action in actions:
            # The same chance for all actions: a fair comparison, and the same answer each time. 各动作用同样的随机数，比较才公平，回答也能重现。
            random.seed(1000 * game.turn + 10 * number + game.me)
            sums[action] += attempt(game, action, distance)
        if time.monotonic() > deadline:
            break
    return max(actions, key=sums.get)


def attempt(game, action, distance):
    """Plays on after an action, and returns what came of it. 走了这个动作之后继续试走，返回结果。"""
    game = copy.copy(game)
    game.small, game.large = set(game.small), set(game.large)
    game.strength, game.boost, game.alive = game.strength[:], game.boost[:], game.alive[:]
    for depth in range(min(DEPTH, 100 - game.turn)):
        actions = [stroll(game, seat, distance) if game.alive[seat] else STAY for seat in SEATS]
        if depth == 0:
            actions[game.me] = action
        game.advance(actions)
    return value(game, distance)


def stroll(game, seat, distance):
    """A quick action: to the nearest fruit and away from stronger players, or any. 随手一步：走向最近的豆子，避开强者；有时随便选。"""
    if random.random() < 0.25:
        return random.choice([action for action in range(STAY, 8) if game.is_legal(seat, action)])
    here = game.at[seat]
    moves = [(STAY, here)] + [(direction, game.step(here, direction)) for direction in range(4)]
    moves = [move for move in moves if move[1] is not None]
    targets = game.small or game.large or game.spawn_cells
    stronger = [game.at[other] for other in game.living() if game.strength[other] > game.strength[seat]]

    def cost(move):
        row = distance[move[1]]
        return any(row[cell] < 2 for cell in stronger), min(row[cell] for cell in targets)

    return min(moves, key=cost)[0]


def value(game, distance):
    """What a position is worth: Botzone's score without boosts, as if the game ended now. Change this!
    局面的价值：不算增益、按现在结束计算的得分。从这里改起！"""
    lasting = [max(game.strength[seat] - (game.boost_strength if game.boost[seat] else 0), 0) for seat in SEATS]
    own = lasting[game.me]
    place = 1 + sum(strength < own for strength in lasting)
    score = 10 * place + 100 * own / max(sum(lasting), 1)
    if not game.alive[game.me]:
        return score * game.turn / 100  # the dead gain nothing in the turns that remain 死后再也得不到什么
    targets = game.small | game.large or game.spawn_cells
    return score - 0.2 * min(distance[game.at[game.me]][cell] for cell in targets)


def distances(game):
    """Returns the steps through the maze from each cell to each other one. 迷宫中每两格之间的真实距离。"""
    table = []
    for start in range(game.width * game.height):
        row = [1000] * (game.width * game.height)
        row[start], queue = 0, [start]
        for cell in queue:
            for direction in range(4):
                nearby = game.step(cell, direction)
                if nearby is not None and row[nearby] == 1000:
                    row[nearby] = row[cell] + 1
                    queue.append(nearby)
        table.append(row)
    return table
# [with simple]
def decide(game):
    """Chooses the next action. Change this! 选择动作，从这里改起！"""
    here, me = game.at[game.me], game.me
    others = [seat for seat in game.living() if seat != me]
    # Cells that a stronger player can reach this turn. 更强的玩家本回合能到的格子。
    danger = set()
    for seat in others:
        if game.strength[seat] > game.strength[me]:
            danger.add(game.at[seat])
            danger.update(game.step(game.at[seat], direction) for direction in range(4))
    danger.discard(None)
    targets = game.small | game.large or game.spawn_cells
    # The order of directions changes each turn; else four such bots would circle forever. 让方向的先后随回合变化。
    directions = [(direction + game.turn + me) % 4 for direction in range(4)]
    moves = [(action, game.step(here, action)) for action in directions] + [(STAY, here)]

    def cost(move):
        _, cell = move
        is_shared = any(game.at[seat] == cell for seat in others)
        around = game.steps_to(cell, targets, danger)  # avoiding danger if possible 尽量绕开危险
        through = game.steps_to(cell, targets, set())
        return cell in danger, is_shared, around is None, around, through is None, through

    def comparable(move):
        return [value if value is not None else 0 for value in cost(move)]

    return min((move for move in moves if move[1] is not None), key=comparable)[0]
# [with all]


game = None
for line in sys.stdin:
    if not line.strip():
        continue
    message = json.loads(line)
    if "requests" in message:  # just started: the whole history 刚启动：全部历史
        game = Game(message["requests"][0])
        for turn in message["requests"][1:]:
            game.play(turn)
    else:  # kept running: only the last turn 长时运行：只有上一回合
        game.play(message)
    # debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
    debug = f"strengths {game.strength} cells {game.at}"
    print(json.dumps({"response": {"action": decide(game)}, "debug": debug}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)  # asks to keep running 请求长时运行
