#!/usr/bin/env python3
# Rewrites, renames or removes its own program.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question


def rename():
    os.rename(me, me + ".old")
    os.rename(me + ".old", me)


question()
me = os.path.abspath(__file__)
attempt("its own program can be written", lambda: os.close(os.open(me, os.O_WRONLY)))
attempt("its own program can be renamed", rename)
answer()
