#!/usr/bin/env python3
# Starts its answer with a NUL byte.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('\0{"response":{"action":-1}}')
