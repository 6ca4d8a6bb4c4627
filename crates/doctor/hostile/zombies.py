#!/usr/bin/env python3
# Creates up to a hundred zombies, then answers.
# verdict: OK
# tiers: A B
# forks

import os

from bot import answer, question

question()
try:
    for _ in range(100):
        if os.fork() == 0:
            os._exit(0)
except OSError:
    pass
answer()
