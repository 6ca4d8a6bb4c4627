#!/usr/bin/env python3
# Each of its threads has a table of open files of its own, full of pipes that are full of data.
# verdict: OK
# tiers: A B

import ctypes
import os

from bot import SHARE, hoard_unseen

# It shares memory, the file system and signals with its process, but not the open files.
THREAD = 0x100 | 0x200 | 0x800 | 0x10000
PIPES = 120
STACK_BYTES = 16384

libc = ctypes.CDLL(None, use_errno=True)
libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
stacks = []


def fill(pipes):
    """Fills pipes, and returns how many bytes they hold."""
    held = 0
    for _ in range(PIPES):
        pipes += os.pipe()
        os.set_blocking(pipes[-1], False)
        held += os.write(pipes[-1], bytes(65536))
    return held


def take():
    held = 0
    while held < SHARE:
        pipes = []
        held += fill(pipes)
        stacks.append(ctypes.create_string_buffer(STACK_BYTES))
        top = ctypes.addressof(stacks[-1]) + STACK_BYTES - 64
        if libc.clone(ctypes.cast(libc.pause, ctypes.c_void_p), top & ~15, THREAD, None) == -1:
            raise OSError(ctypes.get_errno(), "no such thread")
        for pipe in pipes:
            os.close(pipe)


hoard_unseen(take)
