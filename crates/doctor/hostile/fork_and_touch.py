#!/usr/bin/env python3
# Eight children fill 64 MiB each: each is below the memory limit, but together they exceed it.
# verdict: MLE
# tiers: A B C
# forks

import os
import time

from bot import MIB

for _ in range(8):
    if os.fork() == 0:
        break
hoard = b"x" * (64 * MIB)
time.sleep(1000)
