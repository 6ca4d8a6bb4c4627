#!/bin/sh
# It prints to standard error for ever.
# verdict: TLE
# tiers: A B C

exec yes 'this is nobody’s business' >&2
