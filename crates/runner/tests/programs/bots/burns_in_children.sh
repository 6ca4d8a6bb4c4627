# Lets one short-lived child after another use CPU time.
while :; do
    sh -c 'i=0; while [ "$i" -lt 20000 ]; do i=$((i + 1)); done' "$1"
done
