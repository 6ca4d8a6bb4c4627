#!/usr/bin/env python3
# Its children have copies of 60,000 mappings, and end their first threads, so that the process shows none of them.
# verdict: MLE
# tiers: A B
# forks

import _thread
import os
import time

from bot import answer, divide_memory, end_this_thread, escaped, keep_running, question

MAPPINGS = 60_000
CHILDREN_IN_A_TURN = 24
TURNS = 3

question()
divide_memory(MAPPINGS)
for turn in range(TURNS):
    for _ in range(CHILDREN_IN_A_TURN):
        if os.fork() == 0:
            _thread.start_new_thread(time.sleep, (1000,))
            end_this_thread()
    if turn == TURNS - 1:
        escaped(f"{TURNS * CHILDREN_IN_A_TURN} processes with {MAPPINGS} mappings each")
    answer()
    keep_running()
    question()
