#!/usr/bin/env python3
# Allocates a gigabyte and fills it.
# verdict: MLE
# tiers: A B C

import time

from bot import MIB

hoard = []
try:
    while len(hoard) < 1024:
        hoard.append(b"x" * MIB)
except MemoryError:
    pass
time.sleep(1000)
