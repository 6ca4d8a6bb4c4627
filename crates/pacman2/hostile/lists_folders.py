#!/usr/bin/env python3
# It lists the folders of the other bots, of the judge and of home.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for folder in map(os.path.dirname, secrets()):
    attempt(folder, os.listdir, folder)
answer()
