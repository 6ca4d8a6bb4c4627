#!/usr/bin/env python3
# Sets which processes the kernel kills first when memory runs out.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, attempt, others, question

question()
for pid in others():
    for name in ["oom_score_adj", "autogroup", "coredump_filter", "timerslack_ns"]:
        attempt(f"/proc/{pid}/{name} can be written", lambda: open(f"/proc/{pid}/{name}", "r+").close())
answer()
