# Writes a megabyte to standard error, more than a pipe holds, then answers.
head -c 1000000 /dev/zero | tr '\0' e >&2
echo '{}'
