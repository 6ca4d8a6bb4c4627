#!/usr/bin/env python3
# Forks without end; each child starts its own session, and each parent exits.
# verdict: TLE or RE or MLE
# tiers: A B
# forks

import os
import time

from bot import leave_session

if os.fork():
    time.sleep(1000)
while True:
    try:
        if os.fork():
            if os.fork():
                os._exit(0)
        leave_session()
    except OSError:
        pass
