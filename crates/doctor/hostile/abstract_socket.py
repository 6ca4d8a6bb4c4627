#!/usr/bin/env python3
# Connects to an abstract Unix socket, which no file permission guards.
# verdict: OK
# tiers: A B
# escapes

import socket

from bot import TARGETS, answer, attempt, question


def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("\0" + TARGETS["abstract_socket"])


def listen():
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0hostile")
        server.listen()


question()
attempt("an abstract socket of another process", connect)
attempt("an abstract socket for others", listen)
answer()
