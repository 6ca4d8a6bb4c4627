#!/usr/bin/env python3
# It answers when its time has long been over.
# verdict: TLE
# tiers: A B C

import time

from bot import answer, question

question()
time.sleep(2)
answer()
