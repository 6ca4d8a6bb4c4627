#!/usr/bin/env python3
# Hides memory in shared mappings of /dev/zero, which are shared memory too.
# verdict: OK or MLE
# tiers: A B
# escapes

import mmap
import os

from bot import SHARE, hoard_unseen, let_go

hoard = []


def take():
    hoard.append(mmap.mmap(os.open("/dev/zero", os.O_RDONLY), SHARE, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ))
    let_go(hoard[-1])


hoard_unseen(take)
