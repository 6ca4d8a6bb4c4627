# Keeps running with a helper that has lost its parent but stays in the session, and tells whether it lives.
(sleep "$1" & echo $! >helper)
while read -r question; do
    kill -0 "$(cat helper)" && echo "$question"
    echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
done
