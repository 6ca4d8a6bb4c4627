# Prints 2 MB, and exits.
head -c 2000000 /dev/zero
