#!/usr/bin/env python3
# Maps a gigabyte, waits, and then touches it.
# verdict: MLE
# tiers: A B C

import mmap
import time

from bot import MIB

sizes = [1024 * MIB, 384 * MIB, 260 * MIB]
for size in sizes:
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        break
    except OSError:
        pass  # not enough memory
time.sleep(0.1)
for start in range(0, size, 4096):
    memory[start] = 1
time.sleep(1000)
