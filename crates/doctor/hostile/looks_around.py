#!/usr/bin/env python3
# Lists parts of the machine that a bot does not need.
# verdict: OK
# tiers: A B
# escapes

import os
import sys

from bot import answer, attempt, question


# The interpreter and the folder of the bot may be anywhere.
NEEDED = [os.path.realpath(path) for path in [sys.executable, sys.prefix, sys.base_prefix, os.__file__, __file__, os.getcwd()]]


def look(folder):
    paths = [os.path.join(folder, name) for name in os.listdir(folder)]
    if all(any((needed + "/").startswith(path + "/") for needed in NEEDED) for path in paths):
        raise OSError


question()
for folder in ["/home", "/root", "/var", "/var/log", "/run", "/sys", "/sys/class/net", "/boot", "/mnt", "/media", "/srv", "/tmp"]:
    attempt(folder, look, folder)
answer()
