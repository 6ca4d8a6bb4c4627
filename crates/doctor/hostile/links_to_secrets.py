#!/usr/bin/env python3
# Reads secrets through symbolic and hard links.
# verdict: OK
# tiers: A B
# escapes

import os
import tempfile

from bot import answer, attempt, question, secrets


def read_through(link, secret, folder):
    place = os.path.join(tempfile.mkdtemp(dir=folder), "link")
    try:
        link(secret, place)
        try:
            open(place).read()
        finally:
            os.unlink(place)
    finally:
        os.rmdir(os.path.dirname(place))


question()
for folder in ["/tmp", "/dev/shm", os.path.dirname(os.path.abspath(__file__))]:
    for secret in secrets():
        attempt(f"symbolic link to {secret}", read_through, os.symlink, secret, folder)
        attempt(f"hard link to {secret}", read_through, os.link, secret, folder)
answer()
