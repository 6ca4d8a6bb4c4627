#!/usr/bin/env python3
# Answers with action NaN.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":NaN}}')
