#!/usr/bin/env python3
# Leaves data for its next turn in System V shared memory.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, escaped, question, syscall

KEY, IPC_CREAT, IPC_RMID = 0x70616372 + os.getuid(), 0o1000, 0


def found():
    try:
        syscall("shmctl", syscall("shmget", KEY, 0, 0), IPC_RMID, None)
        return True
    except OSError:
        return False


is_first_turn = len(question()["requests"]) == 1
still_there = found()
if is_first_turn:
    try:
        syscall("shmget", KEY, 4096, IPC_CREAT | 0o600)
    except OSError:
        pass
elif still_there:
    escaped("the segment outlasted the turn")
answer()
