#!/usr/bin/env python3
# Its child forks and exits repeatedly, so that every list of processes is soon out of date.
# verdict: OK
# tiers: A B C
# forks

import os
import time

from bot import answer, leave_session, question

question()
if os.fork() == 0:
    while True:
        if os.fork():
            os._exit(0)
        leave_session()
        time.sleep(0.002)
os.wait()
time.sleep(0.03)
answer()
