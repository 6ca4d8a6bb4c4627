#!/usr/bin/env python3
# Creates a device file for reading the disk.
# verdict: OK
# tiers: A B
# escapes as root

import os
import stat

from bot import answer, attempt, question


def make(folder):
    path = f"{folder}/hostile.device"
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    os.unlink(path)


question()
for folder in ["/tmp", "/dev", "/dev/shm", os.path.dirname(os.path.abspath(__file__))]:
    attempt(f"a device in {folder}", make, folder)
answer()
