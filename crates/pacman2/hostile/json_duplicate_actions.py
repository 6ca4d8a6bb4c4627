#!/usr/bin/env python3
# It gives an illegal action and then a legal one, in one response.
# verdict: OK
# tiers: A B C

from bot import question

question()
print('{"response":{"action":9,"action":-1}}')
