#!/usr/bin/env python3
# Locks memory, so that less is left for others.
# verdict: OK
# tiers: A B
# escapes

import ctypes

from bot import MIB, answer, attempt, question, syscall

question()
memory = ctypes.create_string_buffer(MIB)
attempt("mlock", syscall, "mlock", ctypes.addressof(memory), MIB)
answer()
