#!/usr/bin/env python3
# Enters the working directories of the judge and its rivals through /proc, and reads secrets there.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, others, question, secrets

question()
for pid in others():
    attempt(f"/proc/{pid}/cwd", os.listdir, f"/proc/{pid}/cwd/")
    attempt(f"/proc/{pid}/exe", lambda: open(f"/proc/{pid}/exe", "rb").read(4))
    for secret in secrets():
        attempt(f"{secret} through /proc/{pid}/root", lambda: open(f"/proc/{pid}/root{secret}").read())
answer()
