#!/usr/bin/env python3
# Answers with an action of a million digits.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print('{"response":{"action":' + "1" * 1_000_000 + "}}")
