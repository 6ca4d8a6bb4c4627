#!/usr/bin/env python3
# Its debug output asks the viewer to draw a hundred thousand items.
# verdict: OK
# tiers: A B C

from bot import answer, question

question()
answer(debug={"cells": [[0, 0, "x"]] * 40_000, "arrows": [[-1e300, 1e300, 0, 0]] * 20_000, "text": "<b>" * 1000})
