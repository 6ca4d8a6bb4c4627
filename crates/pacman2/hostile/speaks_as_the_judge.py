#!/usr/bin/env python3
# Prints the output of a judge: that the match is over and that it has won.
# verdict: ILLEGAL
# tiers: A B C

import json

from bot import question

question()
print(json.dumps({"command": "finish", "content": {"0": 100, "1": 0, "2": 0, "3": 0}, "verdict": "OK"}))
