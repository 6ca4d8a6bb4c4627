#!/usr/bin/env python3
# Changes to another user.
# verdict: OK
# tiers: A B
# escapes as root

import os

from bot import answer, attempt_in_child, question

question()
for user in [0, 1, 12345, 65534]:
    if user not in os.getresuid():
        attempt_in_child(f"setuid to {user}", os.setuid, user)
        attempt_in_child(f"setgid to {user}", os.setgid, user)
attempt_in_child("setgroups", os.setgroups, [])
answer()
