#!/usr/bin/env python3
# Takes a name that is not text and looks like the end of a list, then allocates a gigabyte.
# verdict: MLE
# tiers: A B C

import time

from bot import MIB, syscall

PR_SET_NAME = 15

syscall("prctl", PR_SET_NAME, b"\xff) Z 1\nVmRSS:\t", 0, 0, 0)
hoard = []
try:
    while len(hoard) < 1024:
        hoard.append(b"x" * MIB)
except MemoryError:
    pass
time.sleep(1000)
