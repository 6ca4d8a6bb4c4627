#!/usr/bin/env python3
# Its action has a million digits.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print('{"response":{"action":' + "1" * 1_000_000 + "}}")
