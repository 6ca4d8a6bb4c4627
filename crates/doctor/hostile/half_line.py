#!/usr/bin/env python3
# Keeps running, and omits the line end of its second answer.
# verdict: TLE
# tiers: A B C

import time

from bot import answer, keep_running, question

question()
answer()
keep_running()
question()
print('{"response":{"action":-1}}', end="", flush=True)
time.sleep(1000)
