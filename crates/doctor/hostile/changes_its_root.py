#!/usr/bin/env python3
# Changes its root directory.
# verdict: OK
# tiers: A B
# escapes as root

import os

from bot import answer, attempt_in_child, question

question()
for folder in ["/", "/tmp", ".."]:
    attempt_in_child(f"chroot to {folder}", os.chroot, folder)
answer()
