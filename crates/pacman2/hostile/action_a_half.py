#!/usr/bin/env python3
# Answers with action 0.5.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(0.5)
