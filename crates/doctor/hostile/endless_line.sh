#!/bin/sh
# Prints a line that never ends.
# verdict: OLE
# tiers: A B C

exec tr '\000' x </dev/full
