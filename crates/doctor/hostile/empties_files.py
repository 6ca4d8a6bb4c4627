#!/usr/bin/env python3
# Truncates files that it may only read, and changes file flags.
# verdict: OK
# tiers: A B
# escapes

import array
import fcntl
import os

from bot import TARGETS, answer, attempt, question

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS = 0x80086601, 0x40086602


def empty():
    os.close(os.open(TARGETS["shared_file"] + ".empty", os.O_RDONLY | os.O_TRUNC))


def note():
    file = os.open(__file__, os.O_RDONLY)
    flags = array.array("L", [0])
    fcntl.ioctl(file, FS_IOC_GETFLAGS, flags)
    fcntl.ioctl(file, FS_IOC_SETFLAGS, flags)


question()
attempt("emptying a file", empty)
attempt("a file's flags", note)
answer()
