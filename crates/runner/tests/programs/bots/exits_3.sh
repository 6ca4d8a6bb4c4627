# Answers, but exits with a code that says it failed.
echo '{}'
exit 3
