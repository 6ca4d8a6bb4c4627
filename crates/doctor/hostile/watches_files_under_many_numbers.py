#!/usr/bin/env python3
# Watches each of its files sixty times over, under as many numbers, with sixty watchers.
# verdict: MLE
# tiers: A B

import os
import select

from bot import answer, escaped, keep_running, question

WATCHERS, FILES_IN_A_TURN, TURNS = 60, 30, 3
NUMBERS = range(190, 250)

watchers, files = [], []
for turn in range(TURNS):
    question()
    watchers.extend(select.epoll() for _ in range(WATCHERS - len(watchers)))
    for _ in range(FILES_IN_A_TURN):
        files.append(os.eventfd(0))
        for number in NUMBERS:
            os.dup2(files[-1], number)
            for watcher in watchers:
                watcher.register(number)  # stays when the number is given to the next file
    if turn == TURNS - 1:
        escaped(f"the kernel keeps {len(files) * len(NUMBERS) * WATCHERS} watches for it")
    answer()
    keep_running()
