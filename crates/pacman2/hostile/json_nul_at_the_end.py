#!/usr/bin/env python3
# It ends its answer with a NUL, as strings in C end.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1}}\0')
