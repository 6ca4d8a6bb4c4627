#!/usr/bin/env python3
# Answers with action null.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(None)
