#!/usr/bin/env python3
# It closes its standard output and lives on.
# verdict: TLE
# tiers: A B C

import os
import time

os.close(1)
time.sleep(1000)
