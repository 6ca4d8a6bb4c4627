#!/usr/bin/env python3
# Keeps running, and a child in another session computes while the others think.
# verdict: OK
# tiers: A B
# slow rival
# forks

import os

from bot import answer, keep_running, leave_session, question, question_while_computing


def used():
    try:
        with open(f"/proc/{child}/stat") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0


question()
child = os.fork()
if child == 0:
    leave_session()
    while True:
        pass
answer()
keep_running()
while True:
    question_while_computing(used)
    answer()
