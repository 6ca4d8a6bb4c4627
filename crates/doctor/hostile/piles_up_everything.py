#!/usr/bin/env python3
# Fills its response, debug output, standard error and taunt, in every turn.
# verdict: OK
# tiers: A B C
# piles up

import json
import sys

from bot import keep_running, question

ESSAY = ",".join(['{"z":{},"a":0}'] * 7_000)
ANSWER = f'{{"response":{{"tauntText":{json.dumps(chr(1) * 40)},"action":-1,"essay":[{ESSAY}]}},"debug":{json.dumps(chr(1) * 100_000)}}}'

while True:
    question()
    print("\x01" * 65536, file=sys.stderr, flush=True)
    print(ANSWER)
    keep_running()
