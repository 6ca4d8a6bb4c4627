#!/usr/bin/env python3
# Writes 64 KiB of control characters to standard error, in every turn.
# verdict: OK
# tiers: A B C
# piles up

import sys

from bot import answer, keep_running, question

while True:
    question()
    print("\x01" * 65536, file=sys.stderr, flush=True)
    answer()
    keep_running()
