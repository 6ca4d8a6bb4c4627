# Keeps running, and has two children think all the time, one of them in a session of its own.
sh -c 'while :; do :; done' "$1" &
setsid sh -c ': >ready; while :; do :; done' "$1" &
until [ -e ready ]; do :; done
while read -r question; do
    echo "$question"
    echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
done
