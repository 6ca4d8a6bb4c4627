# Closes its output, but does not exit.
exec >&-
sleep "$1"
