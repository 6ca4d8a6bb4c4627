#!/usr/bin/env python3
# It switches off protections of its own memory, as exploits like it.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question, syscall

ADDR_NO_RANDOMIZE = 0x40000

question()
attempt("personality", syscall, "personality", ADDR_NO_RANDOMIZE)
answer()
