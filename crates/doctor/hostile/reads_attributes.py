#!/usr/bin/env python3
# Reads extended attributes of others' files.
# verdict: OK
# tiers: A
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for secret in secrets():
    attempt(f"attributes of {secret}", os.listxattr, secret)
answer()
