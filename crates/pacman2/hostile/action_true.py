#!/usr/bin/env python3
# Its action is true.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(True)
