#!/usr/bin/env python3
# Reads the memory, memory maps and environments of the judge and its rivals.
# verdict: OK
# tiers: A B
# escapes

import ctypes

from bot import answer, attempt, others, question, syscall


def read(path):
    with open(path, "rb") as file:
        if not file.read(64):
            raise OSError


def read_vm(pid):
    with open(f"/proc/{pid}/maps") as maps:
        address = int(maps.readline().split("-")[0], 16)
    here = ctypes.create_string_buffer(8)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    remote = (ctypes.c_size_t * 2)(address, 8)
    syscall("process_vm_readv", pid, local, 1, remote, 1, 0)


question()
for pid in others():
    attempt(f"process_vm_readv of {pid}", read_vm, pid)
    for name in ["environ", "maps", "auxv", "smaps_rollup", "pagemap", "stack", "personality"]:
        attempt(f"/proc/{pid}/{name}", read, f"/proc/{pid}/{name}")
answer()
