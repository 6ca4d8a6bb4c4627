#!/usr/bin/env python3
# Allocates secret memory, which even the kernel cannot read.
# verdict: OK
# tiers: A B

from bot import answer, attempt, question, syscall

question()
attempt("memfd_secret", syscall, "memfd_secret", 0)
answer()
