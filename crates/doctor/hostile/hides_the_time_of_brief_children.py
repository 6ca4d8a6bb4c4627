#!/usr/bin/env python3
# Runs children of 4 ms each, too brief to be noticed, whose CPU time the kernel does not add up.
# verdict: TLE or OK
# tiers: A B C
# forks

import os
import signal
import time

from bot import answer, question

question()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
parallel, end = os.cpu_count() or 1, time.monotonic() + 0.25
while time.monotonic() < end:
    for _ in range(parallel):
        if os.fork() == 0:
            began = time.process_time()
            while time.process_time() - began < 0.004:
                pass
            os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
answer()
