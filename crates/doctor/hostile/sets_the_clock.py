#!/usr/bin/env python3
# Sets the machine's clock to the current time.
# verdict: OK
# tiers: A B
# escapes as root

import time

from bot import answer, attempt, question

question()
attempt("clock_settime", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
answer()
