#!/usr/bin/env python3
# It reads extended attributes of foreign files.
# verdict: OK
# tiers: A
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for secret in secrets():
    attempt(f"attributes of {secret}", os.listxattr, secret)
answer()
