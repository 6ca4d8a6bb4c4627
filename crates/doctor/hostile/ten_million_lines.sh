#!/bin/sh
# Prints its answer ten million times.
# verdict: OLE
# tiers: A B C
# forks

yes '{"response":{"action":-1}}' | head -n 10000000
