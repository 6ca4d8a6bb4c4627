#!/bin/sh
# Fails before it has read anything.
# verdict: RE
# tiers: A B C

exit 1
