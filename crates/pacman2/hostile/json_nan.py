#!/usr/bin/env python3
# Its action is NaN.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":NaN}}')
