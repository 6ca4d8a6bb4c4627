#!/usr/bin/env python3
# Its response is a string of JSON nested a hundred thousand levels deep.
# verdict: ILLEGAL
# tiers: A B C

import json

from bot import question

question()
print(json.dumps({"response": '{"action":' + "[" * 100_000 + "]" * 100_000 + "}"}))
