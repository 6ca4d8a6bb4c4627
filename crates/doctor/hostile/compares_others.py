#!/usr/bin/env python3
# Asks the kernel about the memory of the judge and its rivals (kcmp, move_pages).
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, others, question, syscall

KCMP_VM = 1

question()
for pid in others():
    attempt(f"kcmp of {pid}", syscall, "kcmp", pid, pid, KCMP_VM, 0, 0)
    attempt(f"move_pages of {pid}", syscall, "move_pages", pid, 0, None, None, None, 0)
answer()
