#!/usr/bin/env python3
# Hides memory in shared mappings, whose released pages stay allocated.
# verdict: OK or MLE
# tiers: A B
# escapes

import mmap

from bot import SHARE, hoard_unseen, let_go

hoard = []


def take():
    hoard.append(mmap.mmap(-1, SHARE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    let_go(hoard[-1])


hoard_unseen(take)
