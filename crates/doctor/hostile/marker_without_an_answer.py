#!/usr/bin/env python3
# Asks to keep running without an answer.
# verdict: NJ
# tiers: A B C

from bot import keep_running, question

question()
keep_running()
question()
