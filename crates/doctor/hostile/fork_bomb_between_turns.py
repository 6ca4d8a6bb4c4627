#!/usr/bin/env python3
# Keeps running, and a child forks without end while the others think.
# verdict: OK or TLE or RE or MLE
# tiers: A B
# forks

import os

from bot import answer, keep_running, question, stay_for_ever

question()
if os.fork() == 0:
    while True:
        try:
            os.fork()
        except OSError:
            pass
answer()
keep_running()
stay_for_ever()
