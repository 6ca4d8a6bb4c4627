#!/bin/sh
# Prints blanks without end before its answer.
# verdict: OLE
# tiers: A B C

exec tr '\000' ' ' </dev/full
