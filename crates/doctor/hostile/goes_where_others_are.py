#!/usr/bin/env python3
# Changes its working directory to a folder of others and reads from there.
# verdict: OK
# tiers: A B
# escapes

import os

from bot import answer, attempt, question, secrets

question()
me = os.path.abspath(__file__)
for secret in secrets():
    folder, name = os.path.split(secret)
    try:
        os.chdir(folder)
    except OSError:
        pass
    attempt(f"{secret} from its folder", lambda: open(name).read())
    attempt(f"{secret} by ways around", lambda: open(os.path.dirname(me) + "/.." * 20 + secret).read())
answer()
