#!/usr/bin/env python3
# Eight children fill 64 MiB each, and mark their memory as unreadable for other processes.
# verdict: MLE
# tiers: A B C
# forks

import os
import time

from bot import MIB, syscall

PR_SET_DUMPABLE = 4

try:
    syscall("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)
except OSError:
    pass
for _ in range(8):
    if os.fork() == 0:
        break
hoard = b"x" * (64 * MIB)
time.sleep(1000)
