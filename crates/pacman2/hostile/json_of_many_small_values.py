#!/usr/bin/env python3
# Its debug output is a list of half a million small values.
# verdict: OK
# tiers: A B C

import sys

from bot import question

question()
sys.stdout.write('{"response":{"action":-1},"debug":[' + "0," * 520_000 + "0]}")
