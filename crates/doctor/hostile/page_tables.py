#!/usr/bin/env python3
# Reads scattered addresses in empty memory, so that only its page tables grow.
# verdict: OK or MLE
# tiers: A B C

import mmap

from bot import SHARE, hoard_unseen

MAP_NORESERVE = 0x4000
GIB, EVERY = 1 << 30, 2 << 20  # reading in 2 MiB allocates one page for the page table
hoard = []


def take():
    size = SHARE // 4096 * EVERY
    far = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, prot=mmap.PROT_READ)
    hoard.append(far)
    for start in range(0, size, GIB):
        far[start:start + GIB:EVERY]


hoard_unseen(take)
