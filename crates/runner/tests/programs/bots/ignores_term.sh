# Ignores requests to end.
trap '' HUP INT QUIT TERM
while :; do sleep "$1"; done
