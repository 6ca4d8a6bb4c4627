#!/usr/bin/env python3
# Writes 64 MiB to the folder for temporary files.
# verdict: OK
# tiers: A B
# escapes

import os
import tempfile

from bot import MIB, answer, attempt, question


def fill(folder):
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(64):
            file.write(b"x" * MIB)
        file.flush()


question()
for folder in ["/tmp", "/dev/shm", "/var/tmp", "/run", "/run/lock", os.getcwd(), os.path.dirname(os.path.abspath(__file__))]:
    attempt(f"64 MiB are in {folder}", fill, folder)
answer()
