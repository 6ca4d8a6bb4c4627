#!/usr/bin/env python3
# Sets the mode, dates and attributes of its own file, which persist after the turn.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question

question()
me = os.path.abspath(__file__)
about = os.stat(me)
attempt("chmod of its own file", os.chmod, me, about.st_mode & 0o7777)
attempt("dates of its own file", lambda: os.utime(me, ns=(about.st_atime_ns, about.st_mtime_ns)))
attempt("an attribute of its own file", lambda: (os.setxattr(me, "user.hostile", b"1"), os.removexattr(me, "user.hostile")))
answer()
