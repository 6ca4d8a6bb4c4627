#!/usr/bin/env python3
# Divides its memory into 60,000 mappings and forks in each turn; every child has a copy of the kernel's list of them.
# verdict: MLE
# tiers: A B
# forks

import os
import time

from bot import answer, divide_memory, escaped, keep_running, question

MAPPINGS = 60_000
CHILDREN_IN_A_TURN = 24
TURNS = 3

question()
divide_memory(MAPPINGS)
for turn in range(TURNS):
    for _ in range(CHILDREN_IN_A_TURN):
        if os.fork() == 0:
            time.sleep(1000)
    if turn == TURNS - 1:
        escaped(f"{TURNS * CHILDREN_IN_A_TURN} processes with {MAPPINGS} mappings each")
    answer()
    keep_running()
    question()
