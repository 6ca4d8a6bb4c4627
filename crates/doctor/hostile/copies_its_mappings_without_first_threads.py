#!/usr/bin/env python3
# Its children have copies of 60,000 mappings, and end their first threads, so that the process shows none of them.
# verdict: MLE
# tiers: A B
# forks

import _thread
import ctypes
import os
import time

from bot import answer, end_this_thread, escaped, keep_running, question

MAPPINGS = 60_000
CHILDREN_IN_A_TURN = 24
TURNS = 3
PAGE = os.sysconf("SC_PAGE_SIZE")

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

question()
# Neighbours that may be read and that may not be read are different mappings. None of them occupies a page.
begin = libc.mmap(None, MAPPINGS * PAGE, 0, 0x22, -1, 0)
for number in range(0, MAPPINGS, 2):
    libc.mprotect(begin + number * PAGE, PAGE, 1)
for turn in range(TURNS):
    for _ in range(CHILDREN_IN_A_TURN):
        if os.fork() == 0:
            _thread.start_new_thread(time.sleep, (1000,))
            end_this_thread()
    if turn == TURNS - 1:
        escaped(f"{TURNS * CHILDREN_IN_A_TURN} processes with {MAPPINGS} mappings each")
    answer()
    keep_running()
    question()
