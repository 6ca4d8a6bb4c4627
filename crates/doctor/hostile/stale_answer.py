#!/usr/bin/env python3
# A child from the first turn waits and prints an illegal answer to later questions.
# verdict: OK
# tiers: A B C
# forks
# slow rival

import os
import time

from bot import answer, question

question()
if os.fork() == 0:
    time.sleep(0.3)
    while True:
        answer(8)
        time.sleep(0.001)
answer()
