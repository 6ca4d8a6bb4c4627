#!/usr/bin/env python3
# Sets the CPUs on which the judge and its rivals may run.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, others, question

question()
for pid in others():
    attempt(f"sched_setaffinity of {pid}", lambda: os.sched_setaffinity(pid, os.sched_getaffinity(pid)))
answer()
