#!/usr/bin/env python3
# Reads the kernel's log.
# verdict: OK
# tiers: A B
# escapes as root

import ctypes

from bot import answer, attempt, question, syscall

SYSLOG_ACTION_READ_ALL = 3

question()
attempt("syslog", syscall, "syslog", SYSLOG_ACTION_READ_ALL, ctypes.create_string_buffer(64), 64)
answer()
