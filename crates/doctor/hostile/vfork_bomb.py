#!/usr/bin/env python3
# Starts a process that shares its memory and waits for the next one, and so on without end.
# verdict: TLE or MLE or RE
# tiers: A B
# forks

import ctypes

from bot import escaped, number_of, question

CLONE_VM, CLONE_VFORK, SIGCHLD = 0x100, 0x4000, 17
MOST = 4 * 256

question()
number = ctypes.c_long(number_of("clone"))
call = ctypes.CDLL(None, use_errno=True).syscall
started = 0
while started < MOST:
    # In each new process this goes on where the one before it waits, with the same memory.
    if call(number, ctypes.c_long(CLONE_VM | CLONE_VFORK | SIGCHLD), *[ctypes.c_long(0)] * 4) < 0:
        break
    started += 1
else:
    escaped(f"{started} processes")
while True:
    pass
