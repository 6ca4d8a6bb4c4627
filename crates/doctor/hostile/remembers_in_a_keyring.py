#!/usr/bin/env python3
# Leaves data for its next turn in a kernel keyring.
# verdict: OK
# tiers: A B
# escapes

from bot import answer, escaped, question, syscall

KEYCTL_UNLINK, KEYCTL_SEARCH = 9, 10
RINGS = [-4, -5, -3]  # the keyrings of the user, of the user's sessions and of this session


def found(ring):
    try:
        syscall("keyctl", KEYCTL_UNLINK, syscall("keyctl", KEYCTL_SEARCH, ring, b"user", b"hostile.memory", 0), ring)
        return True
    except OSError:
        return False


def leave(ring):
    try:
        syscall("add_key", b"user", b"hostile.memory", b"remember", 8, ring)
    except OSError:
        pass


is_first_turn = len(question()["requests"]) == 1
still_there = [ring for ring in RINGS if found(ring)]
if is_first_turn:
    for ring in RINGS:
        leave(ring)
elif still_there:
    escaped(f"the key in ring {still_there[0]} outlasted the turn")
answer()
