#!/usr/bin/env python3
# Loads BPF programs and maps into the kernel.
# verdict: OK
# tiers: A B
# escapes as root

import ctypes

from bot import answer, attempt, question, syscall

BPF_MAP_CREATE, BPF_MAP_TYPE_ARRAY = 0, 2

question()
attempt("bpf", syscall, "bpf", BPF_MAP_CREATE, (ctypes.c_uint32 * 32)(BPF_MAP_TYPE_ARRAY, 4, 8, 1), 128)
answer()
