#!/usr/bin/env python3
# Creates a FIFO and a symbolic link beside its program, as a trap for readers of the folder.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question


def make(how):
    how(path)
    os.unlink(path)


question()
path = os.path.abspath(__file__) + ".trap"
attempt("a FIFO beside its program", make, os.mkfifo)
attempt("a link beside its program", make, lambda path: os.symlink("/dev/zero", path))
attempt("a folder beside its program", lambda: (os.mkdir(path), os.rmdir(path)))
answer()
