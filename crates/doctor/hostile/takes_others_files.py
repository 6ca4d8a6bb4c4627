#!/usr/bin/env python3
# Takes open files of the judge and its rivals: their pipes, to answer for them.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, others, question, syscall

question()
for pid in others():
    attempt(f"list of /proc/{pid}/fd", os.listdir, f"/proc/{pid}/fd")
    for number in range(3):
        attempt(f"pidfd_getfd of {pid}", lambda: syscall("pidfd_getfd", os.pidfd_open(pid), number, 0))
        attempt(f"/proc/{pid}/fd/{number} can be read", os.open, f"/proc/{pid}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK)
        attempt(f"/proc/{pid}/fd/{number} can be written", os.open, f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK)
answer()
