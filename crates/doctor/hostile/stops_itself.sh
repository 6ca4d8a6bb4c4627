#!/bin/sh
# Stops itself with SIGSTOP.
# verdict: TLE
# tiers: A B C

kill -STOP $$
echo '{"response":{"action":-1}}'
