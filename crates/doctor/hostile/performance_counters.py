#!/usr/bin/env python3
# Counts hardware events, which can reveal what others do.
# verdict: OK
# tiers: A B
# escapes as root

import ctypes

from bot import answer, attempt, question, syscall

PERF_TYPE_SOFTWARE, SIZE, PERF_COUNT_SW_CPU_CLOCK = 1, 112, 0

question()
event = (ctypes.c_uint32 * 28)(PERF_TYPE_SOFTWARE, SIZE, PERF_COUNT_SW_CPU_CLOCK)
for pid, cpu in [(0, -1), (-1, 0)]:
    attempt("perf_event_open", syscall, "perf_event_open", event, pid, cpu, -1, 0)
answer()
