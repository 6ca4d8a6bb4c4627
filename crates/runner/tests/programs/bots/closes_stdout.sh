# Ends its output, but not itself.
exec >&-
sleep "$1"
