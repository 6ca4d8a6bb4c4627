#!/usr/bin/env python3
# Adds a comment and a trailing comma to its answer.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1,},} // I stay')
