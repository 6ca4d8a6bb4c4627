#!/usr/bin/env python3
# Its taunt, debug and standard error reverse the direction of the text after them.
# verdict: OK
# tiers: A B C

import json
import sys

from bot import question

question()
nasty = "\u202e\u2066\u202dlive\u2069\u200f\u061c\ufeff\u200b"
sys.stderr.buffer.write(nasty.encode())
print(json.dumps({"response": {"action": -1, "tauntText": nasty}, "debug": nasty}))
