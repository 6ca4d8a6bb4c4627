#!/usr/bin/env python3
# It sets the machine's name, to what it is already.
# verdict: OK
# tiers: A B
# escapes as root

import socket

from bot import answer, attempt, question

question()
attempt("sethostname", lambda: socket.sethostname(socket.gethostname()))
answer()
