#!/usr/bin/env python3
# Ignores every signal that can be ignored, and sleeps.
# verdict: TLE
# tiers: A B C

import signal
import time

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass  # the C library reserves two signals
while True:
    time.sleep(1000)
