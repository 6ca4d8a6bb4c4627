#!/usr/bin/env python3
# Takes the judge's process name, to mislead programs that kill processes by name.
# verdict: OK
# tiers: A B C

from bot import answer, question, syscall

PR_SET_NAME = 15

question()
try:
    syscall("prctl", PR_SET_NAME, b"pacman2", 0, 0, 0)
except OSError:
    pass
answer()
