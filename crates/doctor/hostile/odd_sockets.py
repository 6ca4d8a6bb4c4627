#!/usr/bin/env python3
# Opens sockets of unusual families: netlink, vsock, packet, AF_ALG, raw.
# verdict: OK
# tiers: A B
# escapes

import socket

from bot import answer, attempt, question

question()
for family in ["AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC", "AF_QIPCRTR"]:
    for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]:
        attempt(family, lambda: socket.socket(getattr(socket, family), kind).close())
attempt("a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close())
attempt("a ping socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).close())
answer()
