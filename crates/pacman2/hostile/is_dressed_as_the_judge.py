#!/usr/bin/env python3
# It gives itself the judge's name, so that whoever cleans up by name is misled.
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
