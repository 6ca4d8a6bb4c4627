#!/bin/sh
# Loops forever.
# verdict: TLE
# tiers: A B C

while :; do :; done
