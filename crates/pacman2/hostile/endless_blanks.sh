#!/bin/sh
# It prints blanks for ever before its answer.
# verdict: OLE
# tiers: A B C

exec tr '\000' ' ' </dev/full
