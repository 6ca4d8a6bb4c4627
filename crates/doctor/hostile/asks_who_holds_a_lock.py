#!/usr/bin/env python3
# Asks the kernel which process holds a lock on a shared file.
# verdict: OK
# tiers: A B
# escapes

import fcntl
import os
import struct

from bot import TARGETS, answer, attempt, question

F_OFD_GETLK = 36
FLOCK = "hhqqixxxx"


def ask(command):
    file = os.open(TARGETS["shared_file"], os.O_RDONLY)
    asked = struct.pack(FLOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    if struct.unpack(FLOCK, fcntl.fcntl(file, command, asked))[0] == fcntl.F_UNLCK:
        raise OSError


question()
attempt("F_GETLK", ask, fcntl.F_GETLK)
attempt("F_OFD_GETLK", ask, F_OFD_GETLK)
answer()
