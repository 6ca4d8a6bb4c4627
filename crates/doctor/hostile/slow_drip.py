#!/usr/bin/env python3
# Prints a correct answer too slowly, one byte at a time.
# verdict: TLE
# tiers: A B C

import time

for character in '{"response":{"action":-1}}':
    print(character, end="", flush=True)
    time.sleep(0.05)
