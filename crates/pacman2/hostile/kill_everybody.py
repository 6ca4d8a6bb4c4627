#!/usr/bin/env python3
# It kills every process that it may: kill(-1, SIGKILL).
# verdict: OK
# tiers: A B

import os
import signal

from bot import answer, question

question()
try:
    os.kill(-1, signal.SIGKILL)  # which spares who calls it
except OSError:
    pass
answer()
