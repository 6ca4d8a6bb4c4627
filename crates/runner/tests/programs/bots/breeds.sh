# Answers, and leaves a daemon that keeps becoming another process: when one looks, the old one is gone.
setsid sh "$0" "$1" again </dev/null >/dev/null 2>&1 &
[ "$2" ] && exit
sleep 0.05
echo '{}'
