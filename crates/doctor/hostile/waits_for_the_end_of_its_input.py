#!/usr/bin/env python3
# Keeps reading after the question until its input ends.
# verdict: OK
# tiers: A B C

import sys

from bot import answer

sys.stdin.read()
answer()
