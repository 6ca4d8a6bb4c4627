# Answers, but exits with a code that reports failure.
echo '{}'
exit 3
