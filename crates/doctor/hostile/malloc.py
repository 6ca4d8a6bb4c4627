#!/usr/bin/env python3
# Allocates a gigabyte and fills it.
# verdict: MLE
# tiers: A B C

from bot import take_a_gigabyte

take_a_gigabyte()
