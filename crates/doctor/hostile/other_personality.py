#!/usr/bin/env python3
# Disables protections of its own memory, as exploits do.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question, syscall

ADDR_NO_RANDOMIZE = 0x40000

question()
attempt("personality", syscall, "personality", ADDR_NO_RANDOMIZE)
answer()
