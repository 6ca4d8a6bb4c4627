#!/bin/sh
# It forks two of itself, and so on.
# verdict: TLE or RE or MLE
# tiers: A B
# forks

bomb() { bomb & bomb & wait; }
bomb 2>/dev/null
sleep 1000
