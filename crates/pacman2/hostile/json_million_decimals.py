#!/usr/bin/env python3
# Answers with action -1 followed by a million decimals, all 0.
# verdict: OK
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1.' + "0" * 1_000_000 + "}}")
