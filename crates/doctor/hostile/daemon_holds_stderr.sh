#!/bin/sh
# Answers and leaves a process that keeps its standard output and error open.
# verdict: OK
# tiers: A B C
# forks

(setsid sleep 1000 || sleep 1000) &
echo '{"response":{"action":-1}}'
