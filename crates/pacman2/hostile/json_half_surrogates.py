#!/usr/bin/env python3
# Its taunt and data contain unpaired surrogates.
# verdict: OK
# tiers: A B C

from bot import question

question()
print(r'{"response":{"action":-1,"tauntText":"\ud83d"},"data":"\ude00\ud83d","debug":"\ud83d"}')
