# Asks to keep running, and exits.
echo '{}'
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
exit 7
