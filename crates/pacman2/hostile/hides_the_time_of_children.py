#!/usr/bin/env python3
# It ignores SIGCHLD, so that the kernel books its children's CPU time nowhere.
# verdict: TLE
# tiers: A B C
# forks

import os
import signal
import time

from bot import answer, question

question()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(10):
    if os.fork() == 0:
        began = time.process_time()
        while time.process_time() - began < 0.15:
            pass
        os._exit(0)
try:
    os.wait()  # it returns when the last one is gone
except ChildProcessError:
    pass
answer()
