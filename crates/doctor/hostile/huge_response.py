#!/usr/bin/env python3
# Adds a megabyte to its response in every turn.
# verdict: OK
# tiers: A B C

import json

from bot import keep_running, question

while True:
    question()
    print(json.dumps({"response": {"action": -1, "essay": "x" * 1_000_000}}))
    keep_running()
