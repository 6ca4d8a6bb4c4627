#!/usr/bin/env python3
# Keeps running, and timers send it SIGCONT whenever it is stopped.
# verdict: OK
# tiers: A B
# slow rival

import ctypes
import hashlib
import signal
import threading
import time

from bot import answer, keep_running, question, question_while_computing, syscall

MILLISECOND = 1_000_000
answered = threading.Event()


def compute():
    while True:
        answered.wait()
        hashlib.sha256(b"x" * 100_000)


def start_timer():
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)  # SIGEV_SIGNAL
    timer = ctypes.c_int()
    syscall("timer_create", time.CLOCK_MONOTONIC, event, ctypes.byref(timer))
    every = (ctypes.c_long * 4)(0, MILLISECOND, 0, MILLISECOND)
    syscall("timer_settime", timer.value, 0, every, None)


# Linux 6.13 and later stop a timer whose signal would be ignored.
signal.signal(signal.SIGCONT, lambda *_: None)
try:
    start_timer()
except OSError:
    pass
threading.Thread(target=compute, daemon=True).start()
question()
answer()
keep_running()
while True:
    answered.set()
    # Without a sandbox it shares the processors with other programs.
    question_while_computing(time.process_time, 0.25)
    answered.clear()
    answer()
