#!/usr/bin/env python3
# Lists the folders of the other bots and of the judge, and the home folder.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets

question()
for folder in map(os.path.dirname, secrets()):
    attempt(folder, os.listdir, folder)
answer()
