# Sixty processes at once wait for a processor, which they take from each other. Then they sleep.
for process in 0 1 2 3 4 5; do
  for other in 0 1 2 3 4 5 6 7 8 9; do
    (count=0; while [ $count -lt 10000 ]; do count=$((count + 1)); done; exec sleep "$1") &
  done
done
exec sleep "$1"
