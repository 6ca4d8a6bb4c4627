#!/usr/bin/env python3
# Its action is -1 with a million decimals, all of them 0.
# verdict: OK
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1.' + "0" * 1_000_000 + "}}")
