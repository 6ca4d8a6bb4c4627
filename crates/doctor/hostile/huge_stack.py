#!/usr/bin/env python3
# Touches half a gigabyte of stack.
# verdict: MLE or RE or TLE
# tiers: A B C

import ctypes
import os
import resource
import sys
import time

from bot import MIB

hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
if resource.getrlimit(resource.RLIMIT_STACK)[0] != hard:
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    os.execv(sys.executable, [sys.executable, *sys.argv])  # the new limit applies only to a new program
with open("/proc/self/maps") as maps:
    bottom = next(int(line.split("-")[0], 16) for line in maps if "[stack]" in line)
for start in range(bottom - MIB, bottom - 512 * MIB, -MIB):
    ctypes.memset(start, 1, MIB)
time.sleep(1000)
