#!/usr/bin/env python3
# Allows itself a core dump of any size and crashes.
# verdict: RE
# tiers: A B

import os
import resource

from bot import question

question()
try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
except (OSError, ValueError):
    pass
os.abort()
