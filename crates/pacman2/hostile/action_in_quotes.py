#!/usr/bin/env python3
# Its action is "1".
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer("1")
