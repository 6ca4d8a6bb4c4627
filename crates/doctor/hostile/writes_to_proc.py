#!/usr/bin/env python3
# Opens settings of the kernel and of its own process for writing.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question

question()
paths = ["kernel/hostname", "kernel/core_pattern", "kernel/ns_last_pid", "vm/drop_caches", "vm/overcommit_memory"]
for path in [*(f"/proc/sys/{path}" for path in paths), "/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/self/uid_map"]:
    attempt(f"{path} can be written", lambda: os.close(os.open(path, os.O_WRONLY)))
answer()
