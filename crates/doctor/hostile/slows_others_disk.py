#!/usr/bin/env python3
# Sets the disk priority of the judge and its rivals to its current value.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, others, question, syscall

IOPRIO_WHO_PROCESS = 1

question()
for pid in others():
    attempt(f"ioprio_set of {pid}", lambda: syscall(
        "ioprio_set", IOPRIO_WHO_PROCESS, pid, syscall("ioprio_get", IOPRIO_WHO_PROCESS, pid)))
answer()
