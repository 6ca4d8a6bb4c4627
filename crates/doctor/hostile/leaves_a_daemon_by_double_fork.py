#!/usr/bin/env python3
# Answers and leaves an orphaned process in its own session.
# verdict: OK
# tiers: A B C
# forks

import os
import time

from bot import answer, leave_session, question

question()
if os.fork() == 0:
    leave_session()
    if os.fork() == 0:
        os.closerange(0, 3)
        time.sleep(1000)
    os._exit(0)
os.wait()
answer()
