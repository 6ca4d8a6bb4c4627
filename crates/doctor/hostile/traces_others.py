#!/usr/bin/env python3
# Attaches to the judge and its rivals like a debugger.
# verdict: OK
# tiers: A B
# escapes as root

from bot import answer, attempt_in_child, others, question, syscall

PTRACE_SEIZE = 0x4206

question()
for pid in others():
    attempt_in_child(f"ptrace of {pid}", syscall, "ptrace", PTRACE_SEIZE, pid, 0, 0)
answer()
