#!/usr/bin/env python3
# Sends every signal to its parent and to process 1.
# verdict: OK
# tiers: A B

import os
import signal

from bot import answer, question

question()
for pid in {1, os.getppid()}:
    for number in sorted(signal.valid_signals(), key=lambda number: number == signal.SIGKILL):
        try:
            os.kill(pid, number)
        except OSError:
            pass
answer()
