#!/usr/bin/env python3
# Gives itself filters of its system calls, which are memory that no process shows.
# verdict: OK
# tiers: A B
# escapes

import ctypes
import struct

from bot import answer, attempt, question, syscall

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
RETURN, ALLOW = 6, 0x7FFF0000
STEPS = 4096


def filter_calls():
    try:
        syscall("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    except OSError:
        pass  # the sandbox has set it
    steps = ctypes.create_string_buffer(struct.pack("HBBI", RETURN, 0, 0, ALLOW) * STEPS)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", STEPS, ctypes.addressof(steps)))
    syscall("prctl", PR_SET_SECCOMP, FILTER, program, 0, 0)


question()
attempt(f"it has a filter of {STEPS} steps", filter_calls)
answer()
