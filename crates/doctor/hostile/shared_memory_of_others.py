#!/usr/bin/env python3
# Opens System V shared memory of another process.
# verdict: OK
# tiers: A B
# escapes

from bot import TARGETS, answer, attempt, question, syscall

question()
attempt("a foreign segment", lambda: syscall("shmget", TARGETS["shm_key"], 0, 0))
answer()
