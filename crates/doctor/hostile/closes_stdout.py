#!/usr/bin/env python3
# Closes its standard output and keeps running.
# verdict: TLE
# tiers: A B C

import os
import time

os.close(1)
time.sleep(1000)
