# Does not let itself be asked to end.
trap '' HUP INT QUIT TERM
while :; do sleep "$1"; done
