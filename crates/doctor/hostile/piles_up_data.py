#!/usr/bin/env python3
# Stores control characters in data and in globaldata, as many as it may write, in every turn.
# verdict: OK
# tiers: A B C
# piles up

from bot import answer, question

question()
answer(data="\x01" * 102_400, globaldata="\x02" * 60_000)
