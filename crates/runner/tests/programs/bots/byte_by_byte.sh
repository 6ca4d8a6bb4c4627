# Prints a byte every 10 ms and never ends its line.
while :; do
    printf a
    sleep 0.01
done
