#!/usr/bin/env python3
# Its action is null.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(None)
