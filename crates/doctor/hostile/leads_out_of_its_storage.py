#!/usr/bin/env python3
# Reads secrets through links in its storage, and makes devices, pipes and deep folders there.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets


def read_through(make, secret, place):
    make(secret, place)
    try:
        open(place).read()
    finally:
        os.unlink(place)


def make_device(place):
    os.mknod(place, 0o60666, os.makedev(8, 0))
    os.unlink(place)


question()
here = os.path.dirname(os.path.abspath(__file__))
for folder in ["/data", "data", os.path.join(here, "data"), "/data/..", here]:
    for secret in secrets():
        for make in [os.symlink, os.link]:
            attempt(f"{make.__name__} to {secret} in {folder}", read_through, make, secret, os.path.join(folder, "storage.link"))
for folder in ["/data", "data"]:
    attempt(f"a device in {folder}", make_device, os.path.join(folder, "device"))
    for make in [lambda: os.mkfifo(f"{folder}/pipe"), lambda: os.symlink("/proc/1/root", f"{folder}/root")]:
        try:
            make()
        except OSError:
            pass
try:
    os.chdir("/data")
    for _ in range(100_000):
        os.mkdir("deeper")
        os.chdir("deeper")
except OSError:
    pass
try:
    os.chmod("/data", 0)
except OSError:
    pass
answer()
