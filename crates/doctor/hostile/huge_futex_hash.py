#!/usr/bin/env python3
# Asks the kernel for a table of its locks that takes a gigabyte, which no process shows.
# verdict: OK
# tiers: A B

from bot import answer, attempt, question, syscall

PR_FUTEX_HASH, SET_SLOTS = 78, 1

question()
# Linux 6.17 and later. A thousand slots prove that more would be possible.
attempt("the kernel made a table of 1024 slots", syscall, "prctl", PR_FUTEX_HASH, SET_SLOTS, 1024, 0, 0)
answer()
