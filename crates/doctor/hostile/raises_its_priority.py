#!/usr/bin/env python3
# Raises its own priority above all others.
# verdict: OK
# tiers: A B
# escapes as root

import os

from bot import answer, attempt_in_child, question

question()
attempt_in_child("a real-time scheduler", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt_in_child("a better priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
answer()
