#!/usr/bin/env python3
# Reserves ten gigabytes of disk space without writing to it.
# verdict: OK
# tiers: A B

import os

from bot import answer, attempt, question


def reserve(folder):
    path = f"{folder}/hostile.reserved"
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(file, 0, 10 << 30)
    finally:
        os.unlink(path)


question()
for folder in ["/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.dirname(os.path.abspath(__file__))]:
    attempt(f"10 GiB in {folder}", reserve, folder)
answer()
