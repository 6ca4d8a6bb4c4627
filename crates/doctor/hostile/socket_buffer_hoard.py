#!/usr/bin/env python3
# Its children fill socket buffers, which count as the memory of no process.
# verdict: OK or MLE or TLE
# tiers: A B
# escapes

import os
import socket
import time

from bot import SHARE, hoard_unseen


def fill(ends):
    """Fills as many socket pairs as it gets, and returns how many bytes they hold."""
    held = 0
    try:
        while held < SHARE // 4:
            ends += socket.socketpair()
            for end in ends[-2:]:
                end.setblocking(False)
                held += sum(iter(lambda: pour(end), 0))
    except OSError:
        pass
    return held


def pour(end):
    try:
        return end.send(bytes(50_000))
    except BlockingIOError:
        return 0


def take():
    reader, writer = os.pipe()
    for _ in range(4):
        if os.fork() == 0:
            ends = []
            os.write(writer, fill(ends).to_bytes(8, "big"))
            time.sleep(1000)
    if sum(int.from_bytes(os.read(reader, 8), "big") for _ in range(4)) < SHARE:
        raise OSError("there is less than that")


hoard_unseen(take)
