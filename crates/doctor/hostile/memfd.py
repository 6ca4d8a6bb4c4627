#!/usr/bin/env python3
# Hides memory in files that exist only in memory.
# verdict: OK or MLE
# tiers: A B
# escapes

import os

from bot import MIB, SHARE, hoard_unseen


def take():
    file = os.memfd_create("hoard")
    for _ in range(SHARE // MIB):
        os.write(file, bytes(MIB))


hoard_unseen(take)
