#!/usr/bin/env python3
# Asks the kernel whether there is any process that it may signal.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question

question()
attempt("a process that kill(-1) would reach", os.kill, -1, 0)
answer()
