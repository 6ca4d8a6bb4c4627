#!/bin/sh
# It fails before it has read anything.
# verdict: RE
# tiers: A B C

exit 1
