#!/usr/bin/env python3
# Walks into a wall; where there is none, shoots with too little strength.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, walks

directions, _ = walks()
answer(next((direction for direction in range(4) if direction not in directions), 4))
