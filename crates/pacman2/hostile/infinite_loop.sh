#!/bin/sh
# It loops for ever.
# verdict: TLE
# tiers: A B C

while :; do :; done
