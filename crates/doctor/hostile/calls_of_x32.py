#!/usr/bin/env python3
# Makes system calls with x32 numbers, which a careless filter lets through.
# verdict: OK
# tiers: A B

import os

from bot import answer, attempt_in_child, question, syscall

X32, SOCKET, GETPID = 0x40000000, 41, 39

question()
if os.uname().machine == "x86_64":
    for number, arguments in [(SOCKET, (2, 1, 0)), (GETPID, ())]:
        attempt_in_child(f"call {number} of x32", syscall, X32 | number, *arguments)
answer()
