#!/usr/bin/env python3
# Opens devices that a bot does not need.
# verdict: OK
# tiers: A B
# escapes as root

import glob
import os

from bot import answer, attempt, question

HARMLESS = {"null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "shm", "core", "ptmx", "pts", "tty"}

question()
for path in sorted({*glob.glob("/dev/*"), "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/net/tun"}):
    if os.path.basename(path) not in HARMLESS and not os.path.isdir(path) and "watchdog" not in path:
        attempt(path, lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)))
answer()
