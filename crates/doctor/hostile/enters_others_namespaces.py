#!/usr/bin/env python3
# Enters the namespaces of the judge and of process 1.
# verdict: OK
# tiers: A B
# escapes as root

import os

from bot import answer, attempt_in_child, others, question, syscall

question()
for pid in [1, os.getppid(), *others()]:
    for kind in ["mnt", "net", "ipc", "uts", "pid"]:
        attempt_in_child(f"{kind} of {pid}", lambda: syscall("setns", os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0))
answer()
