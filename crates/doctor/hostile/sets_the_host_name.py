#!/usr/bin/env python3
# Sets the machine's host name to its current value.
# verdict: OK
# tiers: A B
# escapes as root

import socket

from bot import answer, attempt, question

question()
attempt("sethostname", lambda: socket.sethostname(socket.gethostname()))
answer()
