# Keeps running, then prints JSON without a line end, and lives on.
read -r question
echo '{}'
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
read -r question
printf '{}'
sleep "$1"
