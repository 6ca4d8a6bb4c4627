#!/usr/bin/env python3
# It keeps running and answers before it is asked.
# verdict: NJ
# tiers: A B C

import json
import os
import time

from bot import KEEP_RUNNING, question

question()
stay = json.dumps({"response": {"action": -1}})
os.write(1, f"{stay}\n{KEEP_RUNNING}\n{stay}\n".encode())  # at once, or it may be paused before it has said all
time.sleep(1000)
