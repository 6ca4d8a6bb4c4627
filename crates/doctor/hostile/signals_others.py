#!/usr/bin/env python3
# Sends a harmless signal to the judge and its rivals.
# verdict: OK
# tiers: A B
# escapes

import os
import signal

from bot import answer, attempt, others, question, syscall

question()
for pid in others():
    attempt(f"kill of {pid}", os.kill, pid, 0)
    attempt(f"kill of the group of {pid}", os.killpg, pid, signal.SIGCONT)
    attempt(f"tgkill of {pid}", syscall, "tgkill", pid, pid, 0)
    attempt(f"pidfd_send_signal to {pid}", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0))
answer()
