#!/usr/bin/env python3
# Deletes everything that it finds in its own folder.
# verdict: OK
# tiers: A B

import os
import shutil

from bot import answer, question

question()
shutil.rmtree(os.path.dirname(os.path.abspath(__file__)), ignore_errors=True)
answer()
