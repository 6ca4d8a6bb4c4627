#!/usr/bin/env python3
# Kills every process that it can: kill(-1, SIGKILL).
# verdict: OK
# tiers: A B

import os
import signal

from bot import answer, question

question()
try:
    os.kill(-1, signal.SIGKILL)  # the caller itself is spared
except OSError:
    pass
answer()
