#!/usr/bin/env python3
# It walks into a wall, or shoots with too little strength where there is none.
# verdict: ILLEGAL
# tiers: A B C

from bot import answer, walks

directions, _ = walks()
answer(next((direction for direction in range(4) if direction not in directions), 4))
