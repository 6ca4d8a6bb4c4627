#!/bin/sh
# Answers, then asks to keep running without end.
# verdict: OLE
# tiers: A B C

read -r question
echo '{"response":{"action":-1}}'
exec yes '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
