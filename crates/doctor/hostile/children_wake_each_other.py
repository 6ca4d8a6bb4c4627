#!/usr/bin/env python3
# Keeps running; its children compute, and wake each other whenever they are stopped.
# verdict: OK
# tiers: A B
# slow rival
# forks

import os
import signal

from bot import answer, keep_running, leave_session, question, question_while_computing


def used(pids):
    """CPU seconds of those processes."""
    ticks = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                ticks += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def wake(pids):
    leave_session()
    while True:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
            except OSError:
                pass


question()
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        wake([os.getppid(), *children])
    children.append(child)
answer()
keep_running()
while True:
    question_while_computing(lambda: used(children))
    answer()
