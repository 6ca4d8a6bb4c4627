#!/usr/bin/env python3
# Exits at once and leaves the answer to its child.
# verdict: NJ
# tiers: A B C
# forks

import os
import time

from bot import answer, question

question()
parent = os.getpid()
if os.fork() == 0:
    # On a busy machine a process takes long to exit.
    while os.getppid() == parent:
        time.sleep(0.01)
    time.sleep(0.5)
    answer()
