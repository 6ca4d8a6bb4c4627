#!/usr/bin/env python3
# Reads all available information about its parent and process 1.
# verdict: OK
# tiers: A B
# escapes as root

import os

from bot import answer, attempt, question


def read(path):
    with open(path, "rb") as file:
        if not file.read(64):
            raise OSError


question()
for pid in {1, os.getppid()} - {0, os.getpid()}:
    for name in ["environ", "maps", "auxv", "mem", "syscall"]:
        attempt(f"/proc/{pid}/{name}", read, f"/proc/{pid}/{name}")
    for name in ["fd", "fdinfo", "cwd/"]:
        attempt(f"/proc/{pid}/{name}", os.listdir, f"/proc/{pid}/{name}")
    for name in ["cwd", "root", "exe", "ns/mnt"]:
        attempt(f"/proc/{pid}/{name}", os.readlink, f"/proc/{pid}/{name}")
answer()
