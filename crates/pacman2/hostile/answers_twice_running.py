#!/usr/bin/env python3
# It keeps running and prints two answers to one question.
# verdict: NJ
# tiers: A B C

import json
import os

from bot import answer, keep_running, question

question()
answer()
keep_running()
while True:
    question()
    stay = json.dumps({"response": {"action": -1}})
    os.write(1, f"{stay}\n{stay}\n".encode())  # at once, or it may be paused in between
