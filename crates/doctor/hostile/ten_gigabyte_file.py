#!/usr/bin/env python3
# Writes a file of ten gigabytes.
# verdict: OK or TLE
# tiers: A B

import os

from bot import MIB, answer, question


def write(path):
    with open(path, "wb") as file:
        for _ in range(10_240):
            file.write(b"x" * MIB)


question()
for folder in ["/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.dirname(os.path.abspath(__file__))]:
    try:
        write(f"{folder}/hostile.large")
    except OSError:
        pass
answer()
