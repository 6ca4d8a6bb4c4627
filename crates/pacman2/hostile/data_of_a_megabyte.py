#!/usr/bin/env python3
# It wants a megabyte to be remembered, each of data, debug and globaldata a third.
# verdict: OK
# tiers: A B C

from bot import answer, question

question()
answer(data="d" * 330_000, debug="e" * 330_000, globaldata="g" * 330_000)
