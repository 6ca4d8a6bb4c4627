#!/usr/bin/env python3
# Opens terminals, into which it could type commands for another user.
# verdict: OK
# tiers: A B
# escapes

import fcntl
import glob
import os
import termios

from bot import answer, attempt, question

question()
for path in ["/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ptmx", "/dev/pts/ptmx", *glob.glob("/dev/pts/[0-9]*")]:
    attempt(path, lambda: os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)))
for number in range(3):
    attempt(f"TIOCSTI on file {number}", fcntl.ioctl, number, termios.TIOCSTI, b"\n")
answer()
