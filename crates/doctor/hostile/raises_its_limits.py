#!/usr/bin/env python3
# Raises its own limits.
# verdict: OK
# tiers: A B

import resource

from bot import answer, attempt_in_child, question


def raise_limit(name):
    hard = min(resource.getrlimit(name)[1] % 2**63, 100)
    resource.setrlimit(name, (hard, hard))
    resource.setrlimit(name, (hard + 1, hard + 1))


question()
for name in [resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE]:
    attempt_in_child(f"limit {name}", raise_limit, name)
answer()
