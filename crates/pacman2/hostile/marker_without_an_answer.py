#!/usr/bin/env python3
# It asks to keep running and answers nothing.
# verdict: NJ
# tiers: A B C

from bot import keep_running, question

question()
keep_running()
question()
