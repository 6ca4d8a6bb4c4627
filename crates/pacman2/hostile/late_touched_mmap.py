#!/usr/bin/env python3
# It maps a gigabyte, waits a little, and touches it then.
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
        pass  # so much is not to be had
time.sleep(0.1)
for start in range(0, size, 4096):
    memory[start] = 1
time.sleep(1000)
