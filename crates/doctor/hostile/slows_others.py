#!/usr/bin/env python3
# Sets the priority of the judge and its rivals to its current value, and makes them batch jobs.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, others, question

question()
for pid in others():
    attempt(f"setpriority of {pid}", lambda: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)))
    # The usual policy has no effect, and the sandbox pretends that it could be set.
    attempt(f"sched_setscheduler of {pid}", lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))
answer()
