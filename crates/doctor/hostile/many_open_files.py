#!/usr/bin/env python3
# Opens up to ten thousand files, then answers.
# verdict: OK
# tiers: A B C

import os

from bot import answer, question

question()
try:
    for _ in range(10_000):
        os.open("/dev/null", os.O_RDONLY)
except OSError:
    pass
os.closerange(3, 20)
answer()
