#!/usr/bin/env python3
# Each byte of its data takes six when it is told again.
# verdict: OK
# tiers: A B C

from bot import answer, question

question()
answer(data="\1" * 100_000, globaldata="\2" * 60_000)
