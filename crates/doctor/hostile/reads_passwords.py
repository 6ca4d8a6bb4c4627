#!/usr/bin/env python3
# Reads the machine's password hashes, keys and logs.
# verdict: OK
# tiers: A B
# escapes as root

import glob

from bot import answer, attempt, question

question()
paths = ["/etc/shadow", "/etc/sudoers", "/var/log/dpkg.log", "/proc/kmsg", "/proc/kcore", *glob.glob("/etc/ssh/*key*")]
for path in [*paths, *glob.glob("/root/.*rc")]:
    attempt(path, lambda: open(path, "rb").read(1))
answer()
