#!/bin/sh
# It says nothing and exits.
# verdict: NJ
# tiers: A B C

exit 0
