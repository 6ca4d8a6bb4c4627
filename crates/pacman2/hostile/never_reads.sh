#!/bin/sh
# Answers without reading the question.
# verdict: OK
# tiers: A B C

echo '{"response":{"action":-1}}'
