# Keeps running, and answers its second question twice.
read -r question
echo "$question"
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
read -r question
printf '%s\n%s\n' "$question" "$question"
sleep "$1"
