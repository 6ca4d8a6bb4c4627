#!/bin/sh
# Starts 250 children that compute, each in a session of its own, so that no processor is left for others.
# verdict: TLE or MLE or RE
# tiers: A B
# busy rival
# forks

read -r question
alone=setsid
setsid true || alone=
number=0
while [ "$number" -lt 250 ]; do
    $alone sh -c 'while :; do :; done' &
    number=$((number + 1))
done 2>/dev/null
wait
