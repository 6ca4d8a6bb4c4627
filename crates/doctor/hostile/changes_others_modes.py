#!/usr/bin/env python3
# Sets the mode, owner, dates and attributes of others' files to their current values.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for secret in secrets():
    attempt(f"chmod of {secret}", lambda: os.chmod(secret, os.stat(secret).st_mode & 0o7777))
    attempt(f"chown of {secret}", lambda: os.chown(secret, -1, os.stat(secret).st_gid))
    attempt(f"dates of {secret}", lambda: os.utime(secret, ns=(os.stat(secret).st_atime_ns, os.stat(secret).st_mtime_ns)))
answer()
