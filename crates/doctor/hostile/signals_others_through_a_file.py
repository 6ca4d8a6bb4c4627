#!/usr/bin/env python3
# Makes a rival the receiver of the signals from its pipes and sockets.
# verdict: OK
# tiers: A B
# escapes

import fcntl
import os
import socket
import struct

from bot import answer, attempt, others, question

F_SETOWN_EX, F_GETOWN_EX, F_OWNER_PID, FIOSETOWN, FIOGETOWN = 15, 16, 1, 0x8901, 0x8903


def own_pipe(pid):
    reader, _ = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
    if fcntl.fcntl(reader, fcntl.F_GETOWN) != pid:
        raise OSError


def own_pipe_by_struct(pid):
    reader, _ = os.pipe()
    owner = struct.pack("ii", F_OWNER_PID, pid)
    fcntl.fcntl(reader, F_SETOWN_EX, owner)
    if fcntl.fcntl(reader, F_GETOWN_EX, bytes(8)) != owner:
        raise OSError


def own_socket(pid):
    one, _ = socket.socketpair()
    fcntl.ioctl(one, FIOSETOWN, struct.pack("i", pid))
    if fcntl.ioctl(one, FIOGETOWN, bytes(4)) != struct.pack("i", pid):
        raise OSError


question()
for pid in others():
    attempt(f"a pipe signals {pid}", own_pipe, pid)
    attempt(f"a pipe signals {pid}, by F_SETOWN_EX", own_pipe_by_struct, pid)
    attempt(f"a socket signals {pid}", own_socket, pid)
answer()
