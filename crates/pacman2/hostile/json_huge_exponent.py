#!/usr/bin/env python3
# Answers with action 1e1000000000.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print('{"response":{"action":1e1000000000}}')
