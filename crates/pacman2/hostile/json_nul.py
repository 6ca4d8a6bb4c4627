#!/usr/bin/env python3
# It begins with a NUL.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('\0{"response":{"action":-1}}')
