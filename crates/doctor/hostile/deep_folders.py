#!/usr/bin/env python3
# Creates nested folders without end.
# verdict: OK or TLE
# tiers: A B

import os

from bot import answer, question

question()
for folder in ["/tmp", "/dev/shm", "/var/tmp", os.path.dirname(os.path.abspath(__file__))]:
    try:
        os.chdir(folder)
        for _ in range(100_000):
            os.mkdir("deeper")
            os.chdir("deeper")
    except OSError:
        pass
answer()
