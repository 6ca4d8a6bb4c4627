#!/usr/bin/env python3
# Checks whether a crash could fill the disk with a core dump.
# verdict: OK
# tiers: A B
# escapes

import resource

from bot import answer, escaped, question

question()
# A limit of zero is not enough: a dump piped to a program ignores it. A limit of one byte prevents this.
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 1:
    escaped("it may dump core")
answer()
