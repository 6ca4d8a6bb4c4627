#!/usr/bin/env python3
# It asks for size and date of the other bots' files, and whether they exist.
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
