#!/usr/bin/env python3
# Leaves data for its next turn in a folder for temporary files.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, escaped, question


def found(path):
    try:
        os.unlink(path)
        return True
    except OSError:
        return False


def leave(path):
    try:
        with open(path, "w") as file:
            file.write("remember")
    except OSError:
        pass


is_first_turn = len(question()["requests"]) == 1
folders = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock", os.getcwd(), os.path.dirname(os.path.abspath(__file__))]
paths = [f"{folder}/hostile.memory.{os.getuid()}" for folder in folders]
still_there = [path for path in paths if found(path)]
if is_first_turn:
    for path in paths:
        leave(path)
elif still_there:
    escaped(f"{' and '.join(still_there)} outlasted the turn")
answer()
