# Answers, and leaves a daemon that for ever becomes another process: by the time one looks, the old one is gone.
setsid sh "$0" "$1" again </dev/null >/dev/null 2>&1 &
[ "$2" ] && exit
sleep 0.05
echo '{}'
