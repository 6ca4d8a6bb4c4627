#!/usr/bin/env python3
# Sets the priority of the judge and its rivals to its current value.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, others, question

question()
for pid in others():
    attempt(f"setpriority of {pid}", lambda: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)))
    attempt(f"sched_setscheduler of {pid}", lambda: os.sched_setscheduler(
        pid, os.sched_getscheduler(pid), os.sched_getparam(pid)))
answer()
