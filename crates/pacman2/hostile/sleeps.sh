#!/bin/sh
# It sleeps instead of answering.
# verdict: TLE
# tiers: A B C

exec sleep 1000
