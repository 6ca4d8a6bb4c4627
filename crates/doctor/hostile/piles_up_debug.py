#!/usr/bin/env python3
# Writes a megabyte of small objects in its debug output, in every turn.
# verdict: OK
# tiers: A B C
# piles up

from bot import keep_running, question

DEBUG = ",".join(['{"a":0}'] * 130_000)

while True:
    question()
    print(f'{{"response":{{"action":-1}},"debug":[{DEBUG}]}}')
    keep_running()
