# Uses 0.2 s of CPU time, then answers.
while read -r used rest <"/proc/$$/schedstat" && [ "$used" -lt 200000000 ]; do :; done
echo '{}'
