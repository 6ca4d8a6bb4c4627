#!/usr/bin/env python3
# Keeps running and prints two answers to one question.
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
    os.write(1, f"{stay}\n{stay}\n".encode())  # in one write, or it may be paused in between
