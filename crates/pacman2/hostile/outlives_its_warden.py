#!/usr/bin/env python3
# It asks not to be ended with the process that started it, and computes on when its time is over.
# verdict: TLE
# tiers: A B C

import ctypes

from bot import question

PR_SET_PDEATHSIG = 1

question()
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)
while True:
    pass
