#!/usr/bin/env python3
# It prints a right answer, a byte at a time, too slowly.
# verdict: TLE
# tiers: A B C

import time

for character in '{"response":{"action":-1}}':
    print(character, end="", flush=True)
    time.sleep(0.05)
