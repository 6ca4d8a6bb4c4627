# Has a child use up CPU time while it waits itself.
sh -c 'while :; do :; done' "$1"
