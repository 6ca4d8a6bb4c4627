#!/usr/bin/env python3
# Connects to a Unix socket in the file system.
# verdict: OK
# tiers: A B
# escapes

import socket

from bot import TARGETS, answer, attempt, question


def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(TARGETS["unix_socket"])


question()
attempt("a Unix socket", connect)
answer()
