#!/usr/bin/env python3
# Sets up an io_uring, whose operations bypass every system call filter.
# verdict: OK
# tiers: A B
# escapes

import ctypes

from bot import answer, attempt, question, syscall

question()
attempt("io_uring_setup", syscall, "io_uring_setup", 1, ctypes.create_string_buffer(120))
answer()
