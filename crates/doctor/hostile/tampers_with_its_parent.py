#!/usr/bin/env python3
# Sets the limits, priority and CPUs of its parent to their current values.
# verdict: OK
# tiers: A B
# escapes

import os
import resource

from bot import answer, attempt, question

question()
parent = os.getppid()
attempt("prlimit", lambda: resource.prlimit(parent, resource.RLIMIT_CORE, resource.prlimit(parent, resource.RLIMIT_CORE)))
attempt("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent)))
attempt("sched_setaffinity", lambda: os.sched_setaffinity(parent, os.sched_getaffinity(parent)))
answer()
