#!/usr/bin/env python3
# Its debug output is a list nested a hundred thousand levels deep.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1},"debug":' + "[" * 100_000 + "]" * 100_000 + "}")
