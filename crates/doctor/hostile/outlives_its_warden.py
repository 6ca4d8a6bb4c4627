#!/usr/bin/env python3
# Requests not to be killed with its supervisor, and computes on after its time limit.
# verdict: TLE
# tiers: A B C

import ctypes

from bot import question

PR_SET_PDEATHSIG = 1

question()
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)
while True:
    pass
