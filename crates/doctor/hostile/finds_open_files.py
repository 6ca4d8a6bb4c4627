#!/usr/bin/env python3
# Looks for inherited open files.
# verdict: OK
# tiers: A B C

import os

from bot import answer, attempt, question

question()
for number in range(3, 1024):
    attempt(f"file {number} is open", os.fstat, number)
answer()
