#!/usr/bin/env python3
# Answers, but does not exit.
# verdict: TLE
# tiers: A B C

import time

from bot import answer, question

question()
answer()
while True:
    time.sleep(1000)
