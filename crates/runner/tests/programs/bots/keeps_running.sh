# Keeps running; repeats each question.
while read -r question; do
    echo "$question"
    echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
done
