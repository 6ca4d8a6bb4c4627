#!/usr/bin/env python3
# Answers with action 2^64 - 1, which a 64-bit parser reads as -1.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(2**64 - 1)
