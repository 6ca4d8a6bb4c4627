#!/usr/bin/env python3
# Prints two answers and exits.
# verdict: NJ
# tiers: A B C

from bot import answer, question

question()
answer()
answer()
