#!/usr/bin/env python3
# Closes all its pipes and keeps running.
# verdict: TLE
# tiers: A B C

import os
import time

os.closerange(0, 3)
time.sleep(1000)
