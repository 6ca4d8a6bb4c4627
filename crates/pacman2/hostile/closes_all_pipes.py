#!/usr/bin/env python3
# It closes all its pipes and lives on.
# verdict: TLE
# tiers: A B C

import os
import time

os.closerange(0, 3)
time.sleep(1000)
