#!/usr/bin/env python3
# Queries whether files of the other bots exist, and their sizes and dates.
# verdict: OK
# tiers: A
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for secret in secrets():
    attempt(f"stat of {secret}", os.stat, secret)
    attempt(f"it could find out that {secret} exists", lambda: os.access(secret, os.F_OK) or 1 / 0)
answer()
