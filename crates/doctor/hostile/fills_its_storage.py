#!/usr/bin/env python3
# Writes more to its storage than it holds: large files, sparse files, small files without end.
# verdict: OK or MLE or TLE
# tiers: A B

import os

from bot import MIB, answer, escaped, keep_running, question

FOLDERS = ["/data", "data"]


def fill(folder):
    """Returns how many bytes and files it could write."""
    written = made = 0
    try:
        for number in range(8):
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(32):
                    written += file.write(b"x" * MIB)
    except OSError:
        pass
    try:
        with open(f"{folder}/sparse", "wb") as file:
            file.truncate(1 << 40)
            escaped("a file of 1 TiB")
    except OSError:
        pass
    try:
        for made in range(100_000):
            open(f"{folder}/f{made}", "w").close()
    except OSError:
        pass
    return written, made


while True:
    question()
    for folder in FOLDERS:
        written, made = fill(folder)
        if written > 65 * MIB or made > 1001:
            escaped(f"{written} bytes and {made} files are in {folder}")
    answer()
    keep_running()
