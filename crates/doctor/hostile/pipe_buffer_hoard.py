#!/usr/bin/env python3
# Fills as many pipes as possible, each of the largest size.
# verdict: OK or MLE
# tiers: A B

import fcntl
import os

from bot import answer, question

F_SETPIPE_SZ = 1031

question()
try:
    while True:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 20)
        except OSError:
            pass
        os.write(writer, b"x" * (1 << 20))
except OSError:
    pass
answer()
