#!/bin/sh
# Executes itself again and again.
# verdict: TLE
# tiers: A B C

exec sh "$0"
