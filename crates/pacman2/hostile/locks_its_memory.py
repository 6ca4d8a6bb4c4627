#!/usr/bin/env python3
# It locks memory, so that others have less.
# verdict: OK
# tiers: A B
# escapes

import ctypes

from bot import MIB, answer, attempt, question, syscall

question()
memory = ctypes.create_string_buffer(MIB)
attempt("mlock", syscall, "mlock", ctypes.addressof(memory), MIB)
answer()
