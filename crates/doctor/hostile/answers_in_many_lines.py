#!/usr/bin/env python3
# Keeps running, and spreads its second answer over several lines.
# verdict: NJ
# tiers: A B C

import json
import time

from bot import answer, keep_running, question

question()
answer()
keep_running()
question()
print(json.dumps({"response": {"action": -1}}, indent=1), flush=True)
time.sleep(1000)
