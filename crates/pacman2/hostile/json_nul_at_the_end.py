#!/usr/bin/env python3
# Ends its answer with a NUL byte, like a C string.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1}}\0')
