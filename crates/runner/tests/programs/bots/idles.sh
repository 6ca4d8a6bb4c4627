# Does nothing for a while before it answers, and yet keeps running.
while read -r question; do
    sleep 0.3
    echo '{}'
    echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
done
