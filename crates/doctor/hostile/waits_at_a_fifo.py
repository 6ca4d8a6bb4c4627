#!/usr/bin/env python3
# Waits forever at a FIFO that no other process opens.
# verdict: TLE
# tiers: A B

import os
import time

from bot import question

question()
try:
    os.mkfifo("/tmp/hostile.fifo")
    open("/tmp/hostile.fifo").read()
except OSError:
    time.sleep(1000)
