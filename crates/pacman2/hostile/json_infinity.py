#!/usr/bin/env python3
# Its action is -Infinity.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-Infinity}}')
