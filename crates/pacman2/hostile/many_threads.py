#!/usr/bin/env python3
# It starts a thousand threads, as many as it gets, and answers.
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
