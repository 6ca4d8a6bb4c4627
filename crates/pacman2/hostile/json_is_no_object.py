#!/usr/bin/env python3
# Answers with a bare number.
# verdict: ILLEGAL
# tiers: A B C

from bot import question

question()
print(-1)
