#!/usr/bin/env python3
# Asks the judge to remember 100 MB of data.
# verdict: OLE
# tiers: A B C

import sys

from bot import question

question()
sys.stdout.write('{"response":{"action":-1},"data":"')
for _ in range(100):
    sys.stdout.write("x" * 1_000_000)
sys.stdout.write('"}')
