# Keeps running, but never reads.
echo '{}'
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
sleep "$1"
