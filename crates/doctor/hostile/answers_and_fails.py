#!/usr/bin/env python3
# Answers, then exits with code 3.
# verdict: RE
# tiers: A B C

import sys

from bot import answer, question

question()
answer()
sys.exit(3)
