#!/usr/bin/env python3
# Reads and sets the limits of the judge and its rivals.
# verdict: OK
# tiers: A B
# escapes

import resource

from bot import answer, attempt, others, question


def limit(pid):
    resource.prlimit(pid, resource.RLIMIT_NOFILE, resource.prlimit(pid, resource.RLIMIT_NOFILE))


question()
for pid in others():
    attempt(f"prlimit of {pid}", limit, pid)
answer()
