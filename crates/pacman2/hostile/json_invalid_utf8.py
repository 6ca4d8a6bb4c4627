#!/usr/bin/env python3
# Its taunt, debug and data are not valid UTF-8.
# verdict: OK
# tiers: A B C

import sys

from bot import question

question()
broken = b"\xff\xfe\xc0\x80\xed\xa0\x80\xf5\x80"
sys.stdout.buffer.write(b'{"response":{"action":-1,"tauntText":"%s"},"debug":"%s","data":"%s"}' % (broken, broken, broken))
