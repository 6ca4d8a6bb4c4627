#!/usr/bin/env python3
# It looks for files that somebody left open for it.
# verdict: OK
# tiers: A B C

import os

from bot import answer, attempt, question

question()
for number in range(3, 1024):
    attempt(f"file {number} is open", os.fstat, number)
answer()
