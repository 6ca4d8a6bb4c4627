#!/usr/bin/env python3
# Computes in four threads at once, beyond its CPU time limit.
# verdict: TLE
# tiers: A B C

import hashlib
import threading

block = b"x" * (1 << 20)


def compute():
    while True:
        hashlib.sha256(block)


for _ in range(4):
    threading.Thread(target=compute).start()
