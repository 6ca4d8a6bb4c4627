# Lets a child use CPU time while it waits itself.
sh -c 'while :; do :; done' "$1"
