#!/usr/bin/env python3
# Uses up the watches that a user may have, in processes with few of them each.
# verdict: MLE
# tiers: A B
# forks

import os
import select
import time

from bot import answer, escaped, keep_running, question

WATCHERS, NUMBERS, CHILDREN_IN_A_TURN, TURNS = 35, 100, 8, 3

for turn in range(TURNS):
    question()
    for _ in range(CHILDREN_IN_A_TURN):
        if os.fork() == 0:
            watchers = [select.epoll() for _ in range(WATCHERS)]
            file = os.eventfd(0)
            for number in range(100, 100 + NUMBERS):
                os.dup2(file, number)
                for watcher in watchers:
                    watcher.register(number)
            time.sleep(1000)
    if turn == TURNS - 1:
        time.sleep(0.25)
        escaped(f"{TURNS * CHILDREN_IN_A_TURN * WATCHERS * NUMBERS} watches")
    answer()
    keep_running()
