#!/usr/bin/env python3
# Creates up to a million files.
# verdict: OK or TLE
# tiers: A B

import os

from bot import answer, question

question()
for folder in ["/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.dirname(os.path.abspath(__file__))]:
    try:
        for number in range(1_000_000):
            os.close(os.open(f"{folder}/hostile.{number}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass
answer()
