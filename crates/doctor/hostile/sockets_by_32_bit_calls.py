#!/usr/bin/env python3
# Creates a TCP socket with 32-bit system calls, which a 64-bit filter does not see.
# verdict: OK
# tiers: A B
# forks
# escapes

import ctypes
import mmap
import os

from bot import answer, attempt_in_child, question

# push rbx; mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; pop rbx; ret
CODE = bytes.fromhex("53 b867010000 bb02000000 b901000000 31d2 cd80 5b c3")


def socket_by_int_80():
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    page.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if ctypes.CFUNCTYPE(ctypes.c_int)(address)() < 0:
        raise OSError


question()
if os.uname().machine == "x86_64":
    attempt_in_child("a socket by int 0x80", socket_by_int_80)
answer()
