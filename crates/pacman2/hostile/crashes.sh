#!/bin/sh
# Dies of an invalid memory access.
# verdict: RE
# tiers: A B C

kill -SEGV $$
