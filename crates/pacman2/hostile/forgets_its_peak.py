#!/usr/bin/env python3
# It fills a gigabyte piece by piece, and has the kernel forget its peak each time.
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
