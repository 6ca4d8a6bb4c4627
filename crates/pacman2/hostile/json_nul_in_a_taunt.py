#!/usr/bin/env python3
# Its taunt, debug and data contain NULs, escaped as JSON requires.
# verdict: OK
# tiers: A B C

import json

from bot import question

question()
print(json.dumps({"response": {"action": -1, "tauntText": "\0ha"}, "debug": "\0", "data": "a\0b", "globaldata": "\0"}))
