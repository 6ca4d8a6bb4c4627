#!/bin/sh
# It answers, then asks without end to be kept running.
# verdict: OLE
# tiers: A B C

read -r question
echo '{"response":{"action":-1}}'
exec yes '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
