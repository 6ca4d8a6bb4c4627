#!/usr/bin/env python3
# Answers long after its time is over.
# verdict: TLE
# tiers: A B C

import time

from bot import answer, question

question()
time.sleep(2)
answer()
