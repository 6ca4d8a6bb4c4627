#!/bin/sh
# Forks two copies of itself, which do the same.
# verdict: TLE or RE or MLE
# tiers: A B
# forks

bomb() { bomb & bomb & wait; }
bomb 2>/dev/null
sleep 1000
