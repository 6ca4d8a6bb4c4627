#!/usr/bin/env python3
# It opens shared memory of System V that belongs to somebody else.
# verdict: OK
# tiers: A B
# escapes

from bot import TARGETS, answer, attempt, question, syscall

question()
attempt("a foreign segment", lambda: syscall("shmget", TARGETS["shm_key"], 0, 0))
answer()
