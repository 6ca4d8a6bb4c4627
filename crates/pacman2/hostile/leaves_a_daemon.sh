#!/bin/sh
# Answers and leaves a process in its own session.
# verdict: OK
# tiers: A B C
# forks

(setsid sleep 1000 || sleep 1000) </dev/null >/dev/null 2>&1 &
echo '{"response":{"action":-1}}'
