#!/usr/bin/env python3
# Sleeps while eight children compute.
# verdict: TLE
# tiers: A B C
# forks

import os
import time

from bot import answer, question

question()
for _ in range(8):
    if os.fork() == 0:
        while True:
            pass
time.sleep(1000)
answer()
