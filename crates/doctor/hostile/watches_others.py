#!/usr/bin/env python3
# Looks for processes other than its own.
# verdict: OK
# tiers: A
# escapes

import os

from bot import answer, attempt, others, question


def look(pid):
    with open(f"/proc/{pid}/stat") as stat:
        stat.read()


question()
for pid in others():
    attempt(f"/proc/{pid}/stat", look, pid)
    attempt(f"getsid of {pid}", os.getsid, pid)
answer()
