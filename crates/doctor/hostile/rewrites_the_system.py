#!/usr/bin/env python3
# Opens the system's programs and libraries for writing.
# verdict: OK
# tiers: A B
# escapes as root

import os
import sys

from bot import answer, attempt, question

question()
library = os.__file__
for path in [sys.executable, library, "/etc/passwd", "/etc/ld.so.cache", "/usr/bin/env"]:
    attempt(f"{path} can be written", lambda: os.close(os.open(path, os.O_WRONLY | os.O_APPEND)))
answer()
