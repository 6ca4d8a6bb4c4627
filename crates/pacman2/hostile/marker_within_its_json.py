#!/usr/bin/env python3
# Its taunt is the line that asks to keep running.
# verdict: OK
# tiers: A B C

import json

from bot import KEEP_RUNNING, question

question()
print(json.dumps({"response": {"action": -1, "tauntText": KEEP_RUNNING}}))
