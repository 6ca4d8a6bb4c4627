#!/usr/bin/env python3
# Answers with the number 1.0 as its action, which is a legal action.
# verdict: OK
# tiers: A B C

from bot import answer, walks

directions, asked = walks()
answer(float(directions[0]) if len(asked["requests"]) == 1 else -1.0)
