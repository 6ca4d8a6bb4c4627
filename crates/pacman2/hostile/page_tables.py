#!/usr/bin/env python3
# It reads far and wide in empty memory: not its memory grows, but the tables of where it is.
# verdict: MLE
# tiers: A B C

import mmap

from bot import SHARE, hoard_unseen

MAP_NORESERVE = 0x4000
GIB, EVERY = 1 << 30, 2 << 20  # each 2 MiB that are looked into take a table of a page
hoard = []


def take():
    size = SHARE // 4096 * EVERY
    far = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, prot=mmap.PROT_READ)
    hoard.append(far)
    for start in range(0, size, GIB):
        far[start:start + GIB:EVERY]


hoard_unseen(take)
