# Uses up CPU time for ever.
while :; do :; done
