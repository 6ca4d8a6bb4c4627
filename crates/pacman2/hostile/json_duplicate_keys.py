#!/usr/bin/env python3
# It gives a legal response and then an illegal one, under the same key.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1},"response":{"action":9}}')
