#!/usr/bin/env python3
# Prepares a file system for mounting.
# verdict: OK
# tiers: A B
# escapes as root

from bot import answer, attempt, question, syscall

AT_FDCWD, OPEN_TREE_CLONE = -100, 1

question()
attempt("fsopen", syscall, "fsopen", b"tmpfs", 0)
attempt("open_tree", syscall, "open_tree", AT_FDCWD, b"/", OPEN_TREE_CLONE)
answer()
