#!/usr/bin/env python3
# Creates namespaces in which it would be root, or have a clock of its own.
# verdict: OK
# tiers: A B
# escapes

import ctypes
import os

from bot import answer, attempt_in_child, question, syscall

NEWUSER, NEWNS, NEWNET, NEWPID, NEWUTS, NEWIPC = 0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000, 0x8000000
NEWTIME = 0x80
SIGCHLD = 17


def clone3():
    wanted = (ctypes.c_uint64 * 11)(NEWUSER, 0, 0, 0, SIGCHLD)
    if syscall("clone3", wanted, ctypes.sizeof(wanted)) == 0:
        os._exit(0)


question()
for flag in [NEWUSER, NEWUSER | NEWNS, NEWUSER | NEWTIME, NEWNS, NEWNET, NEWPID, NEWUTS, NEWIPC]:
    attempt_in_child(f"unshare of {flag:#x}", syscall, "unshare", flag)
attempt_in_child("clone3 with a new user namespace", clone3)
answer()
