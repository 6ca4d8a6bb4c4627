#!/usr/bin/env python3
# Has the kernel report every access to others' files.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets, syscall

IN_OPEN = 0x20


def watch(path):
    syscall("inotify_add_watch", syscall("inotify_init1", 0), os.fsencode(path), IN_OPEN)


question()
for secret in secrets():
    attempt(f"it watches {secret}", watch, secret)
attempt("fanotify", syscall, "fanotify_init", 0, 0)
answer()
