#!/usr/bin/env python3
# Has the kernel compare its pages with those of others, in a thread of the kernel, and merge those that are equal.
# verdict: OK
# tiers: A B

from bot import answer, attempt, question, syscall

PR_SET_MEMORY_MERGE = 67

question()
# Linux 6.4 and later. Nothing is compared if the machine has that switched off.
attempt("the kernel may merge its memory", syscall, "prctl", PR_SET_MEMORY_MERGE, 1, 0, 0, 0)
answer()
