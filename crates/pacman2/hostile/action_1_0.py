#!/usr/bin/env python3
# Its action is a number with a point, and means what it says.
# verdict: OK
# tiers: A B C

from bot import answer, walks

directions, asked = walks()
answer(float(directions[0]) if len(asked["requests"]) == 1 else -1.0)
