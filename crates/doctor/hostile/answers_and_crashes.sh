#!/bin/sh
# Answers, then dies of a signal.
# verdict: RE
# tiers: A B C

echo '{"response":{"action":-1}}'
kill -SEGV $$
