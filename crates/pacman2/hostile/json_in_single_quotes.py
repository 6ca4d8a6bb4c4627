#!/usr/bin/env python3
# It prints a dictionary as Python does.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print({"response": {"action": -1}})
