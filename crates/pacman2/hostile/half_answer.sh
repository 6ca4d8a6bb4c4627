#!/bin/sh
# Prints half an answer.
# verdict: NJ
# tiers: A B C

printf '{"response":{"action":'
