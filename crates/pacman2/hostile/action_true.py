#!/usr/bin/env python3
# Answers with action true.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(True)
