#!/usr/bin/env python3
# Checks whether a set-user-ID program would give it privileges.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question


def may_gain():
    with open("/proc/self/status") as status:
        if "NoNewPrivs:\t0" not in status.read():
            raise OSError


question()
attempt("new programs may gain rights", may_gain)
answer()
