#!/usr/bin/env python3
# Its taunt, debug and standard error clear the screen and rename the terminal.
# verdict: OK
# tiers: A B C

import json
import sys

from bot import question

question()
nasty = "\x1b[2J\x1b]0;owned\x07\x1b[31m\x9b5m\x08\r"
print(nasty, file=sys.stderr)
print(json.dumps({"response": {"action": -1, "tauntText": nasty}, "debug": nasty}))
