#!/usr/bin/env python3
# Asks to keep running, but has closed its standard input.
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
