#!/usr/bin/env python3
# Keeps running and loops forever in its second turn.
# verdict: TLE
# tiers: A B C

from bot import answer, keep_running, question

question()
answer()
keep_running()
question()
while True:
    pass
