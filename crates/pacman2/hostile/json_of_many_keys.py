#!/usr/bin/env python3
# Its debug output has a hundred thousand keys.
# verdict: OK
# tiers: A B C

import sys

from bot import question

question()
keys = ",".join(f'"{key:x}":0' for key in range(100_000))
sys.stdout.write('{"response":{"action":-1},"debug":{' + keys + "}}")
