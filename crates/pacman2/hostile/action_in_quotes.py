#!/usr/bin/env python3
# Answers with action "1", a string.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, question

question()
answer("1")
