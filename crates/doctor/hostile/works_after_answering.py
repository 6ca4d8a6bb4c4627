#!/usr/bin/env python3
# Keeps running, and a thread computes while the others think.
# verdict: OK
# tiers: A B C
# slow rival

import hashlib
import threading
import time

from bot import answer, keep_running, question, question_while_computing

answered = threading.Event()


def compute():
    while True:
        answered.wait()
        hashlib.sha256(b"x" * 100_000)


threading.Thread(target=compute, daemon=True).start()
question()
answer()
keep_running()
while True:
    answered.set()
    question_while_computing(time.process_time)
    answered.clear()
    answer()
