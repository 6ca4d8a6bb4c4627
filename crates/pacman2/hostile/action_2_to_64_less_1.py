#!/usr/bin/env python3
# Its action is 2^64 - 1, which is -1 where only 64 bits are looked at.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(2**64 - 1)
