#!/usr/bin/env python3
# Gives first an illegal and then a legal action in one response.
# verdict: OK
# tiers: A B C

from bot import question

question()
print('{"response":{"action":9,"action":-1}}')
