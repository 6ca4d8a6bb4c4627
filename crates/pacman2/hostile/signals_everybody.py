#!/usr/bin/env python3
# It asks the kernel whether there is anybody whom it may signal.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question

question()
attempt("there is somebody whom kill(-1) would reach", os.kill, -1, 0)
answer()
