#!/bin/sh
# Sleeps instead of answering.
# verdict: TLE
# tiers: A B C

exec sleep 1000
