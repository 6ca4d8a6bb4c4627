#!/usr/bin/env python3
# Prints a dictionary in Python syntax.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print({"response": {"action": -1}})
