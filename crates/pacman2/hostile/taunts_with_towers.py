#!/usr/bin/env python3
# Its taunt is one letter with a tower of accents, its debug output thousands of lines.
# verdict: OK
# tiers: A B C

import json

from bot import question

question()
print(json.dumps({"response": {"action": -1, "tauntText": "a" + "\u0301" * 1000}, "debug": "\n" * 10_000}))
