#!/usr/bin/env python3
# Sends a UDP packet to a port of this machine.
# verdict: OK
# tiers: A B
# escapes

import socket

from bot import TARGETS, answer, attempt, question


def send():
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", ("127.0.0.1", TARGETS["udp_port"]))


question()
attempt("a UDP packet", send)
answer()
