#!/usr/bin/env python3
# Connects to a TCP port of this machine and opens a port.
# verdict: OK
# tiers: A B
# escapes

import socket

from bot import TARGETS, answer, attempt, question


def listen(family, address):
    with socket.socket(family) as server:
        server.bind((address, 0))
        server.listen()


question()
attempt("a TCP connection", lambda: socket.create_connection(("127.0.0.1", TARGETS["tcp_port"]), timeout=0.1).close())
attempt("a TCP port", listen, socket.AF_INET, "127.0.0.1")
attempt("a TCP port of IPv6", listen, socket.AF_INET6, "::1")
answer()
