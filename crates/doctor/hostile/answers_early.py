#!/usr/bin/env python3
# Keeps running and answers before it is asked.
# verdict: NJ
# tiers: A B C

import json
import os
import time

from bot import KEEP_RUNNING, question

question()
stay = json.dumps({"response": {"action": -1}})
os.write(1, f"{stay}\n{KEEP_RUNNING}\n{stay}\n".encode())  # in one write, or it may be paused in between
time.sleep(1000)
