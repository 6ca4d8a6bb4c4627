#!/usr/bin/env python3
# Starts up to a thousand threads, then answers.
# verdict: OK or RE
# tiers: A B

import threading
import time

from bot import answer, question

question()
threading.stack_size(64 * 1024)
try:
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except (RuntimeError, MemoryError):
    pass
answer()
