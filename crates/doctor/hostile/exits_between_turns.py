#!/usr/bin/env python3
# Asks to keep running, then exits.
# verdict: RE
# tiers: A B C

from bot import answer, keep_running, question

question()
answer()
keep_running()
