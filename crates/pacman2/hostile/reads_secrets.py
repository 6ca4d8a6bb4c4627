#!/usr/bin/env python3
# It reads the other bots' files, the judge's files and what is in home.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, question, secrets

question()
for secret in secrets():
    attempt(secret, lambda: open(secret).read())
answer()
