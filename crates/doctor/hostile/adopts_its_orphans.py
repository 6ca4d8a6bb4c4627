#!/usr/bin/env python3
# Its child becomes a subreaper, so that nothing else inherits the orphans that it makes.
# verdict: OK
# tiers: A B C
# forks

import os
import time

from bot import answer, leave_session, question, syscall

PR_SET_CHILD_SUBREAPER = 36

question()
if os.fork() == 0:
    leave_session()
    try:
        syscall("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except OSError:
        pass
    for _ in range(3):
        if os.fork() == 0:
            leave_session()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
    time.sleep(1000)
time.sleep(0.02)
answer()
