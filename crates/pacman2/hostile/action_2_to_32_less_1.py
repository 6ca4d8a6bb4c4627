#!/usr/bin/env python3
# Answers with action 2^32 - 1, which a 32-bit parser reads as -1.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(2**32 - 1)
