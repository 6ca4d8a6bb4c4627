#!/usr/bin/env python3
# Its first thread ends alone, and another one takes memory in each turn.
# verdict: MLE
# tiers: A B C

import threading

from bot import SHARE, end_this_thread, hoard_unseen

hoard = []


def take():
    hoard.append(b"x" * SHARE)


threading.Thread(target=hoard_unseen, args=(take,)).start()
end_this_thread()
