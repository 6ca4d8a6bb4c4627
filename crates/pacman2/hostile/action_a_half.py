#!/usr/bin/env python3
# Its action is 0.5.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(0.5)
