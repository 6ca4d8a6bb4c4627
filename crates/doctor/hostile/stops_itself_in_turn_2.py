#!/usr/bin/env python3
# Keeps running and stops itself with SIGSTOP in its second turn.
# verdict: TLE
# tiers: A B C

import os
import signal

from bot import answer, keep_running, question

question()
answer()
keep_running()
question()
os.kill(os.getpid(), signal.SIGSTOP)
answer()
