#!/usr/bin/env python3
# Locks a system file that all bots share.
# verdict: OK
# tiers: A B
# escapes

import fcntl
import os
import sys

from bot import answer, attempt, question

F_SETLEASE = 1024



def lock(path):
    """A lock is one if it keeps out who opens the file again."""
    first, second = os.open(path, os.O_RDONLY), os.open(path, os.O_RDONLY)
    fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    raise OSError


question()
for path in [sys.executable, "/bin/sh", os.__file__]:
    attempt(f"flock of {path}", lock, path)
    attempt(f"a lease of {path}", lambda: fcntl.fcntl(os.open(path, os.O_RDONLY), F_SETLEASE, fcntl.F_RDLCK))
answer()
