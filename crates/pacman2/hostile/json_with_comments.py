#!/usr/bin/env python3
# It explains its answer in a comment, and leaves a comma.
# verdict: NJ
# tiers: A B C

from bot import question

question()
print('{"response":{"action":-1,},} // I stay')
