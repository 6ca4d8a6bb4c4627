#!/usr/bin/env python3
# Starts its answer with a byte order mark.
# verdict: NJ
# tiers: A B C

import sys

from bot import question

question()
sys.stdout.buffer.write(b'\xef\xbb\xbf{"response":{"action":-1}}')
