# Has one short-lived child after the other use up CPU time.
while :; do
    sh -c 'i=0; while [ "$i" -lt 20000 ]; do i=$((i + 1)); done' "$1"
done
