#!/usr/bin/env python3
# It wants a hundred megabytes to be remembered.
# verdict: OLE
# tiers: A B C

import sys

from bot import question

question()
sys.stdout.write('{"response":{"action":-1},"data":"')
for _ in range(100):
    sys.stdout.write("x" * 1_000_000)
sys.stdout.write('"}')
