#!/usr/bin/env python3
# Requests notification of its own page faults, with which it can delay the kernel.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question, syscall

UFFD_USER_MODE_ONLY = 1

question()
attempt("userfaultfd", syscall, "userfaultfd", UFFD_USER_MODE_ONLY)
answer()
