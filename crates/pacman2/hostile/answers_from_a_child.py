#!/usr/bin/env python3
# Exits at once and leaves the answer to its child.
# verdict: NJ
# tiers: A B C
# forks

import os
import time

from bot import answer, question

question()
if os.fork() == 0:
    time.sleep(0.1)
    answer()
