#!/usr/bin/env python3
# Shrinks its pipes to a page and makes them non-blocking.
# verdict: OK
# tiers: A B C

import fcntl
import os

from bot import answer, question

F_SETPIPE_SZ = 1031

question()
for pipe in range(3):
    for change in [lambda: fcntl.fcntl(pipe, F_SETPIPE_SZ, 4096), lambda: os.set_blocking(pipe, False)]:
        try:
            change()
        except OSError:
            pass
answer()
