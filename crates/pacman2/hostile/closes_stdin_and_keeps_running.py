#!/usr/bin/env python3
# It asks to keep running, but can hear nothing any more.
# verdict: TLE
# tiers: A B C

import os
import time

from bot import answer, keep_running, question

question()
os.close(0)
answer()
keep_running()
time.sleep(1000)
