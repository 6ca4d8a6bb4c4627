#!/usr/bin/env python3
# Sends data of which each byte takes six when the judge writes it back.
# verdict: OK
# tiers: A B C

from bot import answer, question

question()
answer(data="\1" * 100_000, globaldata="\2" * 60_000)
