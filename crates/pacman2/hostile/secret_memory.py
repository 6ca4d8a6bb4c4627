#!/usr/bin/env python3
# It asks for memory that not even the kernel looks into.
# verdict: OK
# tiers: A B

from bot import answer, attempt, question, syscall

question()
attempt("memfd_secret", syscall, "memfd_secret", 0)
answer()
