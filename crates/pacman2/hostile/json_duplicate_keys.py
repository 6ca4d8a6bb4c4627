#!/usr/bin/env python3
# Gives first a legal and then an illegal response under the same key.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1},"response":{"action":9}}')
