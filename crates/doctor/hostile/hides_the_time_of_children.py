#!/usr/bin/env python3
# Ignores SIGCHLD, so that the kernel does not add up the CPU time of its children.
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
    os.wait()  # returns when the last child has exited
except ChildProcessError:
    pass
answer()
