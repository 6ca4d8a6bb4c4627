#!/bin/sh
# Closes its standard input unread, then answers.
# verdict: OK
# tiers: A B C
# forks

exec <&-
sleep 0.05
echo '{"response":{"action":-1}}'
