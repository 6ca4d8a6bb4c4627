#!/usr/bin/env python3
# It makes a hundred zombies, as many as it gets, and answers.
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
