#!/usr/bin/env python3
# It looks whether a crash of it could fill the disk with a core dump.
# verdict: OK
# tiers: A B
# escapes

import resource

from bot import answer, escaped, question

question()
# Zero is not enough: what goes to a program is not limited by it, unless the limit is a single byte.
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 1:
    escaped("it may dump core")
answer()
