#!/bin/sh
# It dies of a broken memory access.
# verdict: RE
# tiers: A B C

kill -SEGV $$
