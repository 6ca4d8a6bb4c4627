#!/usr/bin/env python3
# Its action is 2^32 - 1, which is -1 where only 32 bits are looked at.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer(2**32 - 1)
