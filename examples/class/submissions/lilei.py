"""Walks to an adjacent fruit in the first turn, then stays."""

import json

SMALL, LARGE = 16, 32
KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


def first_step(init):
    static, content = init["static"], init["content"]
    height, width = len(content), len(content[0])
    me = 1 << init["id"]
    y, x = next((y, x) for y in range(height) for x in range(width) if content[y][x] & me)
    for action, (dy, dx) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
        is_open = not static[y][x] & 1 << action
        beside = content[(y + dy) % height][(x + dx) % width]
        if is_open and beside & (SMALL | LARGE):
            return action
    return -1


def answer(action):
    print(json.dumps({"response": {"action": action}}), KEEP_RUNNING, sep="\n", flush=True)


answer(first_step(json.loads(input())["requests"][0]))
while True:
    input()
    answer(-1)
