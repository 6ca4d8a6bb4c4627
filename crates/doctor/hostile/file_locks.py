#!/usr/bin/env python3
# Detects by a lock on a shared file what the judge does, or makes the judge wait.
# verdict: OK
# tiers: A B
# escapes

import fcntl
import os

from bot import TARGETS, answer, attempt, question


def lock(how, mode, flags):
    """Escapes if a lock is denied because another process holds one. A lock that is granted reveals nothing."""
    file = os.open(TARGETS["shared_file"], mode)
    try:
        how(file, flags | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    raise OSError


question()
attempt("flock", lock, fcntl.flock, os.O_RDONLY, fcntl.LOCK_SH)
attempt("lockf", lock, fcntl.lockf, os.O_RDONLY, fcntl.LOCK_SH)
attempt("lockf for writing", lock, fcntl.lockf, os.O_RDWR, fcntl.LOCK_EX)
answer()
