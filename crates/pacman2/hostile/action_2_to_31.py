#!/usr/bin/env python3
# Answers with action 2^31.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(2**31)
