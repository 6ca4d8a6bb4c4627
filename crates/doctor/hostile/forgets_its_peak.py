#!/usr/bin/env python3
# Fills a gigabyte piece by piece, and resets its peak memory counter each time.
# verdict: MLE
# tiers: A B C

import time

from bot import MIB

hoard = []
try:
    while len(hoard) < 1024:
        hoard.append(b"x" * MIB)
        with open("/proc/self/clear_refs", "w") as forget:
            forget.write("5")
except (OSError, MemoryError):
    hoard += [b"x" * MIB for _ in range(1024)]
time.sleep(1000)
