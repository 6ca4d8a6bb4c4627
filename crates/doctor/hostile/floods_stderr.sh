#!/bin/sh
# Prints to standard error without end.
# verdict: TLE
# tiers: A B C

exec yes 'this is nobody’s business' >&2
