#!/bin/sh
# Prints ten megabytes to standard error, then answers.
# verdict: OK
# tiers: A B C
# forks

head -c 10000000 /dev/zero >&2
echo '{"response":{"action":-1}}'
