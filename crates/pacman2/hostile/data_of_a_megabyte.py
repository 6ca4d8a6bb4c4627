#!/usr/bin/env python3
# Asks the judge to remember one megabyte, split between data, debug and globaldata.
# verdict: OK
# tiers: A B C

from bot import answer, question

question()
answer(data="d" * 330_000, debug="e" * 330_000, globaldata="g" * 330_000)
