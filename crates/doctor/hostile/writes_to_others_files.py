#!/usr/bin/env python3
# Opens files of the other bots and of the judge for writing, and creates files beside them.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets


def make(folder):
    path = os.path.join(folder, "hostile.new")
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    os.unlink(path)


question()
for secret in secrets():
    attempt(f"{secret} can be written", lambda: os.close(os.open(secret, os.O_WRONLY)))
    attempt(f"a file beside {secret}", make, os.path.dirname(secret))
answer()
