#!/usr/bin/env python3
# Tries to move itself to another control group, away from its limits.
# verdict: OK
# tiers: A B
# escapes as root

import glob
import os

from bot import answer, attempt, question

question()
for pattern in ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/*/cgroup.procs", "/sys/fs/cgroup/*/*/cgroup.procs"]:
    for path in glob.glob(pattern):
        attempt(f"{path} can be written", lambda: os.close(os.open(path, os.O_WRONLY)))
answer()
