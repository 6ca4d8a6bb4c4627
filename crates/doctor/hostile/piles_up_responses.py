#!/usr/bin/env python3
# Writes 100 KiB of small objects in its response in every turn, as a new process that gets all of them back.
# verdict: OK
# tiers: A B C
# piles up

from bot import question

question()
print('{"response":{"action":-1,"essay":[' + ",".join(['{"a":0}'] * 12_700) + "]}}")
