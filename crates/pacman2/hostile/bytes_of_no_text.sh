#!/bin/sh
# Prints random bytes.
# verdict: NJ
# tiers: A B C
# forks

head -c 100000 /dev/urandom
