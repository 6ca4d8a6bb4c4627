#!/usr/bin/env python3
# Takes a name that is not text and looks like the end of a list, then allocates a gigabyte.
# verdict: MLE
# tiers: A B C

from bot import syscall, take_a_gigabyte

PR_SET_NAME = 15

syscall("prctl", PR_SET_NAME, b"\xff) Z 1\nVmRSS:\t", 0, 0, 0)
take_a_gigabyte()
